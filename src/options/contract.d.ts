import type {SizeLimits} from '../files/given-file.js';

/** The rules for the fields of a declaration, by the name of the field. */
export type Rules = Record<string, {allowed: string; isAllowed: (value: any) => boolean}>;

/** The features of a cell of the plan that decide whether an option has an effect on it. */
export interface CellFeatures {
  /** The battle starts a server. */
  hasServer: boolean;
  /** The user named a running server. */
  isGivenServer: boolean;
  servers: number;
  /** Each server has a client. */
  usesAllServers: boolean;
  hasReplies: boolean;
  /** Each message has a latency. */
  hasLatencies: boolean;
  /** Some messages expect no reply. */
  sendsOneWay: boolean;
  /** The kind of broker that the transport of the cell needs. */
  broker: string | null;
  isSliced: boolean;
  /** One pair of processes may measure several payload sizes. */
  sharesPair: boolean;
  /** The given URL, with its password. */
  brokerUrl: string | null;
  /** A private broker may be started. */
  mayStartBroker: boolean;
}

/** The settings of a battle, for `appliesTo`. Other options are read by their declaration, so that a misspelt option is a type error. */
export interface AskedSettings<Own = any> {
  /** The value of the option itself. */
  value: Own;
  read: <One extends Option>(option: One) => BattleValue<One>;
  isAskedFor: (option: Option) => boolean;
}

/**
 * The declaration of an option. `--help`, docs/options.md, .env.example, the checks, `--print-config`, the settings in the journal and the
 * types of the settings are made from this declaration.
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
  /** The letter of the short flag: -p for --payload. */
  short: string | null;
  /** The property of the settings. */
  key: Key;
  environmentName: string;
  /** The type of a single value. */
  type: OptionType<Value>;
  /** The placeholder of a value in help; null for the placeholder of the type. */
  placeholder: string | null;
  /** The default of a script; null for none. */
  default: Default;
  /** The default of a battle; null for none. */
  battleDefault: BattleDefault;
  /** Whether a battle takes several values. Each value makes additional cells. */
  list: List;
  /** Whether the value is shown and stored only after `mask` of its type, and not at all without `mask`. */
  secret: boolean;
  resumable: Resumable;
  /** Sentences; the first sentence states the purpose of the option. */
  help: string;
  /** The purpose in at most 48 characters, for help of one screen; null for the first sentence of `help`. */
  brief: string | null;
  /** Replaces `help` for some commands, by the name of the command. */
  helpFor: Readonly<Record<string, string>>;
  /** The heading in --help. */
  group: string;
  scope: In;
  /** For settings that make variants: the text in a row for a value other than the default. Null if a row shows the value in another way. */
  label: null | ((value: Value) => string | null);
  /**
   * The value of a variant that lacks this setting. So records of versions without the option belong to the same variant. Null if each variant
   * has the setting.
   */
  implied: Value | null;
  /** What the option needs to have an effect, worded to follow "it needs"; null for its owner. */
  needs: string | null;
  /** What the option needs in addition to its owner, worded to follow the owner. */
  alsoNeeds: string | null;
  /** Whether the option affects a cell; null if it affects all cells of its owner. */
  appliesTo: null | ((cell: CellFeatures, settings: AskedSettings<OneOrSeveral<Value, List>>) => boolean);
}

/**
 * Whether an option may be given with --resume. override: a new value replaces the value of the interrupted battle; anew: the value of the
 * interrupted battle is ignored.
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

/** The value of an option in a battle. */
export type BattleValue<One> =
  One extends Option<any, any, infer Value, infer List, any, any, infer Default>
    ? OneOrSeveral<Value, List> | (Default extends null ? null : never)
    : never;

/** The key of a flag: `find-max-rate` is `findMaxRate`. */
export type CamelCase<Text extends string> = Text extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Text;

export type BattleValuesOf<Options extends Option> = {[One in Options as One['key']]: BattleValue<One>};

export type ScriptValuesOf<Options extends Option> = {[One in Options as One['key']]: ScriptValue<One>};

/** The value of an option in a script. */
export type ScriptValue<One> =
  One extends Option<any, any, infer Value, any, any, infer Default, any>
    ? Value | (Default extends null ? null : never)
    : never;

/** All values of a run and their origins. */
export interface Settings<Values extends object = Record<string, unknown>> {
  /** By the option's key. */
  values: Values;
  origins: {[Key in keyof Values]: Origin};
  /** Sentences on unknown PB_ names in the environment. */
  warnings: readonly string[];
}

export interface Origin {
  /** scenario: from a config file; preset: from a preset, or implied by another option; journal: from a resumed battle. */
  kind: 'flag' | 'environment' | '.env' | 'scenario' | 'default' | 'preset' | 'journal';
  /** For messages: --payload, PB_PAYLOAD_BYTES, PB_PAYLOAD_BYTES in .env. */
  name: string;
}

/** Settings from a program or a config file. */
export type GivenTexts = {
  /** By flag, without dashes. */
  texts: Readonly<Record<string, readonly string[]>>;
  originOf: (option: Option) => Origin;
};

/** Parses and formats the texts of an option. Flags, variables and .env lines use the same type, so a mistake fails in the same way everywhere. */
export interface OptionType<Value> {
  /** The allowed values, worded to follow "must be". */
  allowed: string;
  /** Returns undefined if the text is not allowed. */
  parse: (text: string) => Value | undefined;
  /** Returns a text that `parse` turns into the same value. */
  format: (value: Value) => string;
  /** The allowed texts, if they are few; help lists them. */
  choices?: readonly string[];
  /** The placeholder of a value in help, such as SIZE. */
  placeholder?: string;
  /** For the path of a file: the rule by which the file is checked before anything starts. */
  file?: FileRule;
  /** Masks the password in an allowed text; an option of such a type is secret. */
  mask?: (text: string) => string;
  /** Masks the password in a text that is not allowed, also for an option that is not secret. */
  maskRefused?: (text: string) => string;
  /** Returns the values of a part of a list, such as a range. */
  expand?: (text: string) => (Value | undefined)[];
  /** The separator in a list; default a comma. */
  separator?: string;
  /** Splits a list whose values may contain the separator. */
  split?: (text: string) => string[];
}

/**
 * The rule for the content of a file. refuse: returns the reason why a content is not allowed, worded to follow the path; isSent: a battle
 * sends the content to its roles, because they may run on other hosts.
 */
export type FileRule = SizeLimits & {refuse?: (content: Buffer) => string | null; isSent?: boolean};
