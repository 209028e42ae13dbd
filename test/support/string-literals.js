import {createScanner, SyntaxKind} from 'typescript/unstable/ast';

/** @import {Scanner} from 'typescript/unstable/ast' */

/** Tokens, other than identifiers, that end an operand. A slash after one of them divides, and after any other begins a regular expression. */
const operandEnds = new Set([
  SyntaxKind.PrivateIdentifier,
  SyntaxKind.NumericLiteral,
  SyntaxKind.BigIntLiteral,
  SyntaxKind.StringLiteral,
  SyntaxKind.RegularExpressionLiteral,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateTail,
  SyntaxKind.CloseParenToken,
  SyntaxKind.CloseBracketToken,
  SyntaxKind.CloseBraceToken,
  SyntaxKind.PlusPlusToken,
  SyntaxKind.MinusMinusToken,
  SyntaxKind.ThisKeyword,
  SyntaxKind.SuperKeyword,
]);

const texts = new Set([
  SyntaxKind.StringLiteral,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateHead,
  SyntaxKind.TemplateMiddle,
  SyntaxKind.TemplateTail,
]);

/**
 * The string literals of a file, with the pieces of its templates. Comments, and the paths of its imports, are not among them.
 *
 * @param {string} code
 * @returns {string[]} in the order of the file
 * @throws {Error} when a literal does not end: the scanner then misread a slash
 */
export function literalsOf(code) {
  const found = [];
  let previous = SyntaxKind.Unknown;
  for (const {kind, value} of tokensOf(code)) {
    const isPath = previous === SyntaxKind.FromKeyword || previous === SyntaxKind.ImportKeyword;
    if (texts.has(kind) && value !== '' && !(isPath && kind === SyntaxKind.StringLiteral)) found.push(value);
    previous = kind;
  }
  return found;
}

/** @param {string} code @returns {Generator<{kind: SyntaxKind, value: string}>} */
function* tokensOf(code) {
  const scanner = createScanner(true, undefined, code);
  /** For each open brace, whether it is that of a template. @type {boolean[]} */
  const braces = [];
  let isAfterOperand = false;
  for (let kind = scanner.scan(); kind !== SyntaxKind.EndOfFile; kind = scanner.scan()) {
    kind = rescan(scanner, kind, {isAfterOperand, isInTemplate: braces.at(-1) === true});
    if (scanner.isUnterminated())
      throw new Error(`This literal has no end: ${scanner.getTokenText().slice(0, 60)}`);
    if (kind === SyntaxKind.OpenBraceToken || kind === SyntaxKind.TemplateHead)
      braces.push(kind === SyntaxKind.TemplateHead);
    if (kind === SyntaxKind.CloseBraceToken || kind === SyntaxKind.TemplateTail) braces.pop();
    yield {kind, value: scanner.getTokenValue()};
    isAfterOperand = operandEnds.has(kind) || scanner.isIdentifier();
  }
}

/**
 * What a scanner alone does not know: whether a slash divides, and whether a brace goes on with a template.
 * @param {Scanner} scanner
 * @param {SyntaxKind} kind
 * @param {{isAfterOperand: boolean, isInTemplate: boolean}} context
 * @returns {SyntaxKind}
 */
function rescan(scanner, kind, {isAfterOperand, isInTemplate}) {
  if (kind === SyntaxKind.CloseBraceToken && isInTemplate) return scanner.reScanTemplateToken(false);
  const isSlash = kind === SyntaxKind.SlashToken || kind === SyntaxKind.SlashEqualsToken;
  return isSlash && !isAfterOperand ? scanner.reScanSlashToken() : kind;
}
