/** A share in a sentence. @param {number} share @param {number} [decimals] */
export function percent(share, decimals = 1) {
  return `${(share * 100).toFixed(decimals)} %`;
}
