/**
 * What the page does beyond showing: sorts tables, filters rows, and shows what a point of a chart says. Without it, everything can be read.
 * It runs in a browser, from within the page.
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
const marks = /** @type {NodeListOf<SVGElement>} */ (document.querySelectorAll('.mark, svg > g'));
for (const mark of marks) {
  const title = mark.querySelector(':scope > title');
  if (!title) continue;
  const text = title.textContent;
  title.remove();
  mark.addEventListener('pointermove', ({clientX, clientY}) => {
    tip.textContent = text;
    tip.hidden = false;
    const {offsetWidth, offsetHeight} = tip;
    tip.style.left = `${Math.max(4, Math.min(clientX + 14, innerWidth - offsetWidth - 4))}px`;
    tip.style.top = `${clientY > offsetHeight + 20 ? clientY - offsetHeight - 12 : clientY + 18}px`;
  });
  mark.addEventListener('pointerleave', () => {
    tip.hidden = true;
  });
}
