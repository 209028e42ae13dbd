import type {SizeLimits} from '../files/given-file.js';

/** Whether the fields of a declaration that people write are as they must be, by the name of the field. */
export type Rules = Record<string, {allowed: string; isAllowed: (value: any) => boolean}>;

/** The features of a cell of the plan that decide whether an option has an effect on it. */
export interface CellFeatures {
  /** The battle starts a server. */
  hasServer: boolean;
  /** A person named a server that is already there. */
  isGivenServer: boolean;
  servers: number;
  /** Each server has a client. */
  usesAllServers: boolean;
  hasReplies: boolean;
  /** Each message has a latency. */
  hasLatencies: boolean;
  /** Some messages expect no reply. */
  sendsOneWay: boolean;
  /** The kind of broker that its transport needs. */
  broker: string | null;
  isSliced: boolean;
  /** One pair of processes may measure several payload sizes. */
  sharesPair: boolean;
  /** The URL that the person gave, with any password. */
  brokerUrl: string | null;
  /** The broker may be a private one. */
  mayStartBroker: boolean;
}

/**
 * The settings of a battle, as an option sees them. Others are read by their declaration, so that a misspelt one is an error to the
 * checker.
 */
export interface AskedSettings<Own = any> {
  /** The value of the option itself. */
  value: Own;
  read: <One extends Option>(option: One) => BattleValue<One>;
  isAskedFor: (option: Option) => boolean;
}

/**
 * One option, declared once. `--help`, docs/options.md, .env.example, the checks, `--print-config`, what the journal keeps, and the types
 * of the settings are all made from this declaration.
 */
export interface Option<
  Name extends string = string,
  Key extends string = string,
  Value = any,
  List extends boolean = boolean,
  In extends Scope = Scope,
  Default = unknown,
  BattleDefault = unknown,
> {
  /** The flag without its dashes. */
  name: Name;
  /** One letter that stands for the flag: -p for --payload. */
  short: string | null;
  /** The name of the value in the settings. */
  key: Key;
  environmentName: string;
  /** The type of one value. */
  type: OptionType<Value>;
  /** What stands for a value in help; null: the placeholder of the type. */
  placeholder: string | null;
  /** The default of a script; null: none. */
  default: Default;
  /** The default of the battle; null: none. */
  battleDefault: BattleDefault;
  /** A battle takes several values, each of which makes cells of its own. */
  list: List;
  /** Shown and stored only as its type's `mask` allows. */
  secret: boolean;
  resumable: Resumable;
  /** Sentences; the first says what the option is for. */
  help: string;
  /** What it is for in at most 48 characters, for help of one screen; null: the first sentence of `help`. */
  brief: string | null;
  /** What it is for in a command to which `help` does not apply, by the name of the command. */
  helpFor: Readonly<Record<string, string>>;
  /** Its heading in --help. */
  group: string;
  scope: In;
  /** For settings that make variants: how a row names a value that is not the default; null if a row shows it in another way. */
  label: null | ((value: Value) => string | null);
  /**
   * The value that a variant without this setting has, so that the records of versions without the option are those of the same variant;
   * null: each variant has the setting.
   */
  implied: Value | null;
  /** What it needs to have an effect, worded to follow "it needs"; null: its owner. */
  needs: string | null;
  /** What it needs beside its owner, worded to follow that. */
  alsoNeeds: string | null;
  /** For an option that has an effect only on some cells, or only with other settings. */
  appliesTo: null | ((cell: CellFeatures, settings: AskedSettings<OneOrSeveral<Value, List>>) => boolean);
}

/**
 * Whether an option may be given with --resume. override: the value given now replaces that of the interrupted battle; anew: the value of the
 * interrupted battle is not used.
 */
export type Resumable = false | 'override' | 'anew';

export type OneOrSeveral<Value, List extends boolean> = List extends true ? readonly Value[] : Value;

/** The commands that take an option; both: the battle and the scripts. */
export type Scope =
  | 'battle'
  | 'script'
  | 'both'
  | 'table'
  | 'compare'
  | 'report'
  | 'chart'
  | 'choose'
  | 'ab'
  | 'faults'
  | 'init'
  | 'ec2';

/** What the battle has for an option. */
export type BattleValue<One> =
  One extends Option<any, any, infer Value, infer List, any, any, infer Default>
    ? OneOrSeveral<Value, List> | (Default extends null ? null : never)
    : never;

/** The key of a flag: `find-max-rate` is `findMaxRate`. */
export type CamelCase<Text extends string> = Text extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Text;

/** The values of a battle, by the option's key. */
export type BattleValuesOf<Options extends Option> = {[One in Options as One['key']]: BattleValue<One>};

/** The values of a script, by the option's key. */
export type ScriptValuesOf<Options extends Option> = {[One in Options as One['key']]: ScriptValue<One>};

/** What a script has for an option. */
export type ScriptValue<One> =
  One extends Option<any, any, infer Value, any, any, infer Default, any>
    ? Value | (Default extends null ? null : never)
    : never;

/** Every value of a run and where each comes from. */
export interface Settings<Values extends object = Record<string, unknown>> {
  /** By the option's key. */
  values: Values;
  /** By the option's key. */
  origins: {[Key in keyof Values]: Origin};
  /** For a person: unknown PB_ names in the environment. */
  warnings: readonly string[];
}

export interface Origin {
  /** Scenario: of a config file; preset: from a preset, or implied by another option; journal: of a resumed battle. */
  kind: 'flag' | 'environment' | '.env' | 'scenario' | 'default' | 'preset' | 'journal';
  /** As the person wrote it: --payload, PB_PAYLOAD_BYTES, PB_PAYLOAD_BYTES in .env. */
  name: string;
}

/** Settings that a program or a config file gives. */
export type GivenTexts = {
  /** By flag, without dashes. */
  texts: Readonly<Record<string, readonly string[]>>;
  originOf: (option: Option) => Origin;
};

/**
 * How the text of an option becomes a value. Flags, environment variables and .env lines are texts of the same type, so `--payload 64q`
 * and `PB_PAYLOAD_BYTES=64q` fail in the same way.
 */
export interface OptionType<Value> {
  /** What is allowed, worded to follow "must be". */
  allowed: string;
  /** Undefined if the text is not allowed. */
  parse: (text: string) => Value | undefined;
  /** The text that `parse` would read back. */
  format: (value: Value) => string;
  /** All allowed texts, if they are few; help lists them. */
  choices?: readonly string[];
  /** What stands for a value in help, such as SIZE. */
  placeholder?: string;
  /** The value is the path of a file, which is checked before anything starts. */
  file?: FileRule;
  /** The text with any password masked; an option of such a type is secret. */
  mask?: (text: string) => string;
  /** The same for a text that is not allowed, also for an option that is not secret. */
  maskRefused?: (text: string) => string;
  /** The values of one part of a list, such as a range. */
  expand?: (text: string) => (Value | undefined)[];
  /** What is between the values of a list; default a comma. */
  separator?: string;
  /** A list, where the separator may also be within a value. */
  split?: (text: string) => string[];
}

/**
 * What the content of a file must be. refuse: why a content is not allowed, worded to follow the path; isSent: a battle sends the content
 * to its roles, because they may run on other hosts.
 */
export type FileRule = SizeLimits & {refuse?: (content: Buffer) => string | null; isSent?: boolean};
