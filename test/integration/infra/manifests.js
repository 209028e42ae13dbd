import {readdir, readFile} from 'node:fs/promises';
import {basename, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {runPython} from '../support/python.js';

/** The oldest and the newest supported version of Kubernetes. */
export const kubernetesVersions = ['1.32', '1.37'];

const kustomization = 'kustomization.yaml';

export const folder = fileURLToPath(new URL('../../../infra/kubernetes/', import.meta.url));

/** @typedef {Record<string, any>} Manifest */
/** @typedef {{manifest: Manifest, problems: string[], checked: string[]}} Checked checked: the versions whose schema was available and matched */

/** kubernetes-validate has the schemas of Kubernetes' API. Reads a JSON list of texts. Prints for each text its manifests, each with its problems. */
const program = `
import json, sys
import kubernetes_validate, yaml

class Loader(yaml.SafeLoader):
    def construct_mapping(self, node, deep=False):
        keys = [key.value for key, _ in node.value]
        double = {key for key in keys if keys.count(key) > 1}
        if double:
            raise yaml.YAMLError('duplicate key %s, at line %d' % (', '.join(double), node.start_mark.line + 1))
        return super().construct_mapping(node, deep)

def check(manifest):
    problems, checked = [], []
    if manifest.get('apiVersion', '').startswith('kustomize.config.k8s.io/'):
        return {'manifest': manifest, 'problems': [], 'checked': []}
    for version in ${JSON.stringify(kubernetesVersions)}:
        try:
            checked.append(kubernetes_validate.validate(manifest, version, strict=True))
        except kubernetes_validate.ValidationError as error:
            problems.append('%s: %s: %s' % (version, '.'.join(map(str, error.path)), error.message))
        except kubernetes_validate.SchemaNotFoundError as error:
            problems.append(error.message)
    return {'manifest': manifest, 'problems': problems, 'checked': checked}

texts = json.load(sys.stdin)
print(json.dumps([[check(manifest) for manifest in yaml.load_all(text, Loader=Loader)] for text in texts]))
`;

/**
 * Validates manifests against the schemas.
 * @param {string[]} texts
 * @returns {Promise<Checked[][]>} by text
 */
export async function validate(texts) {
  const checking = runPython('python', ['-X', 'utf8', '-c', program]);
  checking.child.stdin?.end(JSON.stringify(texts));
  return JSON.parse((await checking).stdout);
}

/** @returns {Promise<Record<string, string>>} every YAML file by its path below the folder */
export async function readYamlFiles() {
  const paths = (await readdir(folder, {recursive: true})).filter((path) => path.endsWith('.yaml')).sort();
  const texts = await Promise.all(paths.map((path) => readFile(join(folder, path), 'utf8')));
  return Object.fromEntries(paths.map((path, index) => [path, texts[index]]));
}

/** The assembled manifests. Kustomizations are read only as lists of files; a test proves that they are nothing more. */
export class Manifests {
  /** @param {Record<string, Manifest[]>} files by path below the folder */
  constructor(files) {
    this.files = files;
  }

  /** The files that `kubectl apply -k` of a folder applies. @param {string} of @returns {string[]} */
  filesOf(of) {
    const [{resources}] = this.files[join(of, kustomization)];
    return resources.flatMap((/** @type {string} */ resource) => {
      const path = join(of, resource);
      return path.endsWith('.yaml') ? [path] : this.filesOf(path);
    });
  }

  /** @param {string} of */
  appliedBy(of) {
    return this.filesOf(of).flatMap((path) => this.files[path]);
  }

  /** @param {string} of @param {string} kind */
  ofKind(of, kind) {
    return this.appliedBy(of).filter((manifest) => manifest.kind === kind);
  }

  /** The manifests that create pods. @param {string} of */
  workloadsOf(of) {
    return this.appliedBy(of).filter(({spec}) => spec?.template);
  }

  /**
   * What a role is run with, as the kubelet makes it.
   * @param {string} of
   * @param {'server' | 'client'} role
   * @param {{name: string, data: Record<string, string>}} secret
   * @returns {{parameters: string[], environment: Record<string, string>}}
   * @throws {Error} when it refers to what is not there
   */
  roleOf(of, role, secret) {
    const containers = this.workloadsOf(of).flatMap(({spec}) => spec.template.spec.containers);
    const {args, envFrom} = containers.find(({name}) => name === role);
    const environment = Object.assign(
      {},
      ...envFrom.map((/** @type {Manifest} */ from) => this.#read(of, from, secret)),
    );
    const expand = (/** @type {string} */ text) =>
      text.replace(/\$\((\w+)\)/g, (whole, name) => environment[name] ?? whole);
    return {parameters: args.map(expand), environment};
  }

  /** @param {string} of @param {Manifest} from an entry of envFrom @param {{name: string, data: Record<string, string>}} secret */
  #read(of, {configMapRef, secretRef}, secret) {
    if (secretRef?.name === secret.name) return secret.data;
    const map = this.ofKind(of, 'ConfigMap').find(({metadata}) => metadata.name === configMapRef?.name);
    if (!map) throw new Error(`${of}: ${JSON.stringify({configMapRef, secretRef})} is not there`);
    return map.data;
  }
}

/** @param {string} path of a file @returns {boolean} whether it is a kustomization */
export function isKustomization(path) {
  return basename(path) === kustomization;
}

/** @param {Manifest} selector of labels @param {Record<string, string>} labels */
export function selects({matchLabels = {}, matchExpressions = []}, labels) {
  const isIn = (/** @type {Manifest} */ {key, operator, values}) => {
    if (operator !== 'In') throw new Error(`A selector with the operator ${operator} is not read here.`);
    return values.includes(labels[key]);
  };
  return (
    Object.entries(matchLabels).every(([name, value]) => labels[name] === value) &&
    matchExpressions.every(isIn)
  );
}
