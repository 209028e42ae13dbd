import {captionOfFaults, faultCharts, faultsPage} from '../report/page/faults-page.js';
import {settingsAsGiven} from '../settings/describe-settings.js';
import {optionsOfFaults} from '../settings/index.js';
import {assertReplaceable, htmlPage, replaceOwn} from './replace-own.js';
import {makeChartFolder, writeCharts} from './write-charts.js';

/**
 * @import {ShownFaults} from '../report/page/faults-page.js'
 * @import {FaultSettings} from '../settings/index.js'
 */

/**
 * The page and the charts of a run, where --page and --folder ask for them. Call it before the run: what cannot be written is refused then.
 * @param {FaultSettings} settings
 * @returns {Promise<(done: Omit<ShownFaults, 'settings'>, how: {signal: AbortSignal, note: (line: string) => void}) => Promise<void>>} writes them
 * @throws {UsageError | RunError} when they cannot be written
 */
export async function prepareFaultFiles(settings) {
  const {page, folder} = settings.values;
  if (page === null && folder === null) return async () => {};
  if (page !== null) await assertReplaceable(page, htmlPage);
  if (folder !== null) await makeChartFolder(folder);
  return async (done, {signal, note}) => {
    const shown = {...done, settings: settingsAsGiven(settings, optionsOfRun())};
    if (page !== null) {
      const text = faultsPage(shown);
      await replaceOwn(page, text, {...htmlPage, signal});
      note(`${page}: ${Math.ceil(Buffer.byteLength(text) / 1000)} kB.`);
    }
    if (folder === null) return;
    const caption = captionOfFaults(shown);
    const charts = faultCharts(shown).map(({id, title, draw}) => ({
      id,
      svg: draw({caption: `${title} · ${caption}`}),
    }));
    if (charts.length === 0) note('No fault interrupted the load, so there is no chart.');
    await writeCharts(folder, charts, {signal, onWritten: note});
  };
}

/** Those that say how faults are done, and not what is shown of them. A transport that a person brings has added its own. */
function optionsOfRun() {
  return optionsOfFaults.filter(
    ({scope, resumable}) => scope !== 'report' && scope !== 'chart' && resumable !== 'anew',
  );
}
