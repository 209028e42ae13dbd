import {brokerKindOfUrl, brokerKinds} from '../brokers/index.js';
import {UsageError} from '../errors.js';
import {isAskedFor, overlay} from '../options/resolve.js';
import {brokerKindsFor} from '../transports/index.js';

/**
 * @import {BrokerKind} from '../brokers/kind.js'
 * @import {Origin, Settings} from '../options/resolve.js'
 */

/**
 * Adds the settings that the URL of a broker gives beside its address: `heartbeat=5` stands for `--rabbitmq-heartbeat 5`.
 *
 * @template {Settings<any>} Whole
 * @param {Whole} settings as resolved, of a battle or of a script
 * @returns {Whole}
 * @throws {UsageError} when a person gave another value for one of them, or a flag for a part of the URL
 */
export function withSettingsOfUrls(settings) {
  let whole = settings;
  for (const kind of kindsIn(settings)) {
    const named = urlOf(kind, settings);
    if (named === null) continue;
    refuseFlagsBeside(kind, settings, named.origin);
    const given = kind.settingsOfUrl?.(named.url) ?? {};
    for (const [key, value] of Object.entries(given)) whole = withSetting(whole, {key, value}, named.origin);
  }
  return whole;
}

/**
 * The kinds of brokers that a battle or a script may use.
 * @param {Pick<Settings<any>, 'values'>} settings
 * @returns {BrokerKind[]}
 */
export function kindsIn({values}) {
  const kinds = Array.isArray(values.transport) ? brokerKindsFor(values) : brokerKinds;
  return kinds.filter(({urlOption}) => urlOption.key in values);
}

/**
 * @param {BrokerKind} kind
 * @param {Settings<any>} settings
 * @returns {{url: string, origin: Origin} | null}
 */
function urlOf({name, urlOption: {key}}, {values, origins}) {
  const {broker = 'auto'} = values;
  if (broker === 'private') return null;
  if (brokerKindOfUrl(broker)?.name === name) return {url: broker, origin: origins.broker};
  return values[key] === null ? null : {url: values[key], origin: origins[key]};
}

/**
 * A battle refuses them by what it says of all flags without an effect.
 * @param {BrokerKind} kind
 * @param {Settings<any>} settings
 * @param {Origin} origin
 */
function refuseFlagsBeside({addressOptions, urlOption}, {values, origins}, origin) {
  if ('broker' in values) return;
  const flag = addressOptions.find((one) => one !== urlOption && origins[one.key].kind === 'flag');
  if (flag)
    throw new UsageError(
      `${origins[flag.key].name} has no effect here: ${origin.name} names the whole address. Give only one of them.`,
    );
}

/**
 * @template {Settings<any>} Whole
 * @param {Whole} settings
 * @param {{key: string, value: unknown}} setting of a URL
 * @param {Origin} origin of the URL
 * @returns {Whole}
 */
function withSetting(settings, {key, value}, origin) {
  const current = settings.values[key];
  if (current === undefined) return settings;
  const whole = Array.isArray(current) ? [value] : value;
  if (!isAskedFor(settings.origins[key]))
    return overlay(settings, /** @type {any} */ ({[key]: whole}), {
      kind: 'preset',
      name: `a parameter of ${origin.name}`,
    });
  if (String(current) === String(whole)) return settings;
  throw new UsageError(
    `${settings.origins[key].name} (${current}) contradicts the URL in ${origin.name}, which has ${value}. Give only one of them.`,
  );
}
