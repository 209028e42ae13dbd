/** Loaded before a program (node --import). When the program ends, writes its own resource usage, without that of its children, to a file. */
import {writeFileSync} from 'node:fs';

const {BENCH_USAGE_FILE: file} = process.env;
if (file) process.on('exit', () => writeFileSync(file, JSON.stringify(process.resourceUsage())));
