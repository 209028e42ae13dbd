import {createHash} from 'node:crypto';
import {readFileSync} from 'node:fs';
import {chartStyle} from '../charts/standalone.js';
import {html, Markup} from './html.js';

const style = chartStyle + readHere('./style.css');
const script = readHere('./page-script.js').replace(/^\/\*\*.*?\*\/\n/s, '');

/**
 * A page with its style and its script. It loads nothing from elsewhere, and reads without script.
 * @param {Markup} body
 * @param {{title: string, version: string}} what version: of perf-battle
 * @returns {string}
 */
export function wholePage(body, {title, version}) {
  const policy = `default-src 'none'; style-src '${hashOf(style)}'; script-src '${hashOf(script)}'`;
  return String(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="generator" content="perf-battle ${version}">
<title>${title} – perf-battle</title>
<style>${new Markup(style)}</style>
</head>
<body>
<main>
${body}
</main>
<script>${new Markup(script)}</script>
</body>
</html>
`);
}

/** @param {string} text within an element */
function hashOf(text) {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

/** @param {string} path @returns {string} */
function readHere(path) {
  return readFileSync(new URL(path, import.meta.url), 'utf8');
}
