/** The bare loop for `perf-battle call unix`: that of raw TCP, which tells them apart by the address. */
import './tcp.js';
