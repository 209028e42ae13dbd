/** Loaded before a program (node --import): at its end it writes what the program itself used, its children not counted, to a file. */
import {writeFileSync} from 'node:fs';

const {BENCH_USAGE_FILE: file} = process.env;
if (file) process.on('exit', () => writeFileSync(file, JSON.stringify(process.resourceUsage())));
