import type { RuleSource } from '../contract/permission/context.js'
import type { DecisionReason } from '../contract/permission/result.js'
import type { BareRule } from './compile-rules.js'

const SOURCE_NAMES: Readonly<Record<RuleSource, string>> = {
  policy: 'managed policy',
  session: 'this session',
  command: 'the running command',
  cliArg: 'the command line',
  flagSettings: 'the flag settings',
  localSettings: '.haft/settings.local.json',
  projectSettings: '.haft/settings.json',
  userSettings: '~/.haft/settings.json',
}

/** The rule and where it stands, for a person to find it. */
export function describeRule({ text, source, file = SOURCE_NAMES[source] }: BareRule): string {
  return `${text} in ${file}`
}

export function ruleReason({ text, source, file = SOURCE_NAMES[source] }: BareRule, kind: string): DecisionReason {
  return { type: 'rule', text: `${kind} from ${file}`, rule: text, source }
}
