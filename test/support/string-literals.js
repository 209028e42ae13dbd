/** The string literals of a file, template pieces included; imports and comments are none. @param {string} code */
export function literalsOf(code) {
  const statements = code
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/^\s*\/\/.*$/gm, '')
    .replace(/\bfrom '[^']*'/g, '');
  return [...statements.matchAll(/'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`([^`$]*)`/g)].map(
    ([, single, double, template]) => single ?? double ?? template,
  );
}
