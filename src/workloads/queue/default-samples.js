/** Messages of a trial without --samples. A duration cannot bound a trial, because every message must be taken out again. */
export const defaultSamples = 5000;
