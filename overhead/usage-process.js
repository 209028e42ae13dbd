/** Preload of a program (node --import). When the program ends, it writes the resource usage of the process, without child processes, to a file. */
import {writeFileSync} from 'node:fs';

const {BENCH_USAGE_FILE: file} = process.env;
if (file) process.on('exit', () => writeFileSync(file, JSON.stringify(process.resourceUsage())));
