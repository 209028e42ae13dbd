/** The rounds of a battle: of every one without --rounds at least `min`, of any at most `max`. */
export const roundLimits = {min: 5, max: 1000};

/** The default of --budget. */
export const defaultBudgetMs = 300_000;
