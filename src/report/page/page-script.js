/**
 * Sorts tables, filters rows, and shows the text of a chart's point to a pointer, a keyboard and a screen reader.
 * The page can be read without the script. The script runs in a browser, as part of the page.
 */
/** @param {HTMLTableRowElement} row */
const cellsOf = (row) => [...row.cells];
/** @param {string} text @returns {number} NaN if it has none */
const figureOf = (text) => Number.parseFloat(text.replace(/^[^\d-]+/, ''));

/** By their figures; what has none comes last. @param {string} one @param {string} other */
function compare(one, other) {
  const [a, b] = [figureOf(one), figureOf(other)];
  if (Number.isNaN(a) && Number.isNaN(b)) return one.localeCompare(other);
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) ? 1 : -1;
  return a - b;
}

/** @param {HTMLTableElement} table */
function makeSortable(table) {
  const body = table.tBodies[0];
  const headings = table.tHead ? cellsOf(table.tHead.rows[0]) : [];
  for (const [column, heading] of headings.entries()) {
    const button = document.createElement('button');
    button.type = 'button';
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener('click', () => {
      const isAscending = heading.getAttribute('aria-sort') !== 'ascending';
      for (const other of headings) other.removeAttribute('aria-sort');
      heading.setAttribute('aria-sort', isAscending ? 'ascending' : 'descending');
      const isText = heading.classList.contains('text') && heading.dataset.figure === undefined;
      const keyOf = (/** @type {HTMLTableRowElement} */ row) => {
        const cell = row.cells[column];
        return cell.dataset.value ?? cell.textContent ?? '';
      };
      const rows = [...body.rows].sort((one, other) =>
        isText ? keyOf(one).localeCompare(keyOf(other)) : compare(keyOf(one), keyOf(other)),
      );
      body.append(...(isAscending ? rows : rows.reverse()));
    });
  }
}

const tables = /** @type {NodeListOf<HTMLTableElement>} */ (document.querySelectorAll('table.sortable'));
for (const table of tables) makeSortable(table);

const filter = document.createElement('p');
filter.className = 'filter';
const label = document.createElement('label');
const input = document.createElement('input');
input.type = 'search';
label.append('Show only rows with ', input);
filter.append(label);
document.querySelector('#tables')?.after(filter);
input.addEventListener('input', () => {
  const words = input.value.toLowerCase().split(/\s+/);
  for (const row of [...tables].flatMap(({tBodies}) => [...tBodies[0].rows])) {
    const text = cellsOf(row)
      .map(({textContent}) => textContent ?? '')
      .join(' ')
      .toLowerCase();
    row.hidden = !words.every((word) => text.includes(word));
  }
});

const tip = document.createElement('div');
tip.id = 'tip';
tip.hidden = true;
document.body.append(tip);
/** @param {string} text @param {{x: number, y: number}} at */
function showTip(text, {x, y}) {
  tip.textContent = text;
  tip.hidden = false;
  const {offsetWidth, offsetHeight} = tip;
  tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - offsetWidth - 4))}px`;
  tip.style.top = `${y > offsetHeight + 20 ? y - offsetHeight - 12 : y + 18}px`;
}

function hideTip() {
  tip.hidden = true;
}

/** In one chart. @type {Record<string, (index: number, last: number) => number>} */
const moves = {
  ArrowRight: (index, last) => Math.min(index + 1, last),
  ArrowDown: (index, last) => Math.min(index + 1, last),
  ArrowLeft: (index) => Math.max(index - 1, 0),
  ArrowUp: (index) => Math.max(index - 1, 0),
  Home: () => 0,
  End: (_index, last) => last,
};

document.querySelector('#points')?.append(' Tab enters a chart, and the arrow keys go from point to point.');

// The title of a point becomes its name, so that a browser does not show it a second time. One point of a chart is reached by Tab.
for (const svg of document.querySelectorAll('figure svg')) {
  const titles = /** @type {NodeListOf<SVGTitleElement>} */ (
    svg.querySelectorAll('.mark > title, .point > title')
  );
  const points = [...titles].map((title) => {
    const point = /** @type {SVGGraphicsElement} */ (title.parentNode);
    const text = title.textContent ?? '';
    title.remove();
    point.setAttribute('role', 'img');
    point.setAttribute('aria-label', text);
    point.addEventListener('pointermove', ({clientX, clientY}) => showTip(text, {x: clientX, y: clientY}));
    point.addEventListener('pointerleave', hideTip);
    point.addEventListener('focus', () => {
      const {right, top} = point.getBoundingClientRect();
      showTip(text, {x: right, y: top});
    });
    point.addEventListener('blur', hideTip);
    return point;
  });
  for (const [index, point] of points.entries()) {
    point.setAttribute('tabindex', index === 0 ? '0' : '-1');
    point.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') hideTip();
      const move = Object.hasOwn(moves, event.key) ? moves[event.key] : null;
      if (move === null || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      const next = points[move(index, points.length - 1)];
      point.setAttribute('tabindex', '-1');
      next.setAttribute('tabindex', '0');
      next.focus();
    });
  }
}
