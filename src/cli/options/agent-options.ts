import { quote } from '../../shared/quote.js'
import { UsageError } from '../io/exit.js'
import { parseOptions } from './parse-options.js'
import {
  PROGRAM_OPTIONS,
  type ProgramOptions,
  readProgramOptions,
  refuseUnsupportedOptions,
  toKebabCase,
} from './program-options.js'
import { SETTINGS_OPTIONS, type SettingsValues } from './settings-options.js'

const OUTPUT_FORMATS = ['text', 'json', 'stream-json'] as const
const INPUT_FORMATS = ['text', 'stream-json'] as const

type OutputFormat = (typeof OUTPUT_FORMATS)[number]
type InputFormat = (typeof INPUT_FORMATS)[number]

/** Which session to continue. */
export interface SessionChoice {
  /** `--continue`: continue the latest session of this folder. */
  readonly shouldContinueLatest: boolean
  /** The session to resume; empty if `--resume` has no id. */
  readonly resume: string | undefined
  /** `--fork-session`: continue in a copy of the session. */
  readonly shouldFork: boolean
  /** The id of the new session or copy. */
  readonly id: string | undefined
}

/** The parsed options of `haft` and `haft -p`. */
export interface AgentOptions extends ProgramOptions {
  readonly isPrintMode: boolean
  readonly prompt: string | undefined
  /** Whether the prompt, or more of it, is read from standard input without a time limit, because of `-`. */
  readonly waitsForInput: boolean
  readonly settings: SettingsValues
  readonly session: SessionChoice
  readonly output: OutputFormat
  readonly input: InputFormat
  readonly isVerbose: boolean
  /** `--ask`: with `-p`, ask the user in the terminal instead of denying calls. */
  readonly mayAsk: boolean
  /** `--screen-reader`: flat output for screen readers. */
  readonly isScreenReader: boolean
  /** `--quiet`: no progress on standard error, only problems. */
  readonly isQuiet: boolean
  readonly hasPartialMessages: boolean
  readonly jsonSchema: string | undefined
  readonly permissionPromptTool: string | undefined
  readonly model: string | undefined
  readonly fallbackModel: string | undefined
  /** The file to record model responses in. */
  readonly record: string | undefined
  readonly systemPrompt: string | undefined
  readonly appendSystemPrompt: string | undefined
  readonly tools: string
  readonly isBare: boolean
  /** Why Setup hooks run before the first prompt. */
  readonly setup: 'init' | 'maintenance' | undefined
  readonly maxTurns: number | undefined
  readonly maxBudgetUsd: number | undefined
}

const PRINT_OPTIONS = {
  ...SETTINGS_OPTIONS,
  ...PROGRAM_OPTIONS,
  'add-dir': { type: 'string', multiple: true },
  print: { type: 'boolean', short: 'p', default: false },
  resume: { type: 'string', short: 'r' },
  continue: { type: 'boolean', short: 'c', default: false },
  'fork-session': { type: 'boolean', default: false },
  'session-id': { type: 'string' },
  'output-format': { type: 'string', default: 'text' },
  'input-format': { type: 'string', default: 'text' },
  'include-partial-messages': { type: 'boolean', default: false },
  verbose: { type: 'boolean', default: false },
  'screen-reader': { type: 'boolean', default: false },
  quiet: { type: 'boolean', default: false },
  ask: { type: 'boolean', default: false },
  'json-schema': { type: 'string' },
  'permission-prompt-tool': { type: 'string' },
  model: { type: 'string' },
  'fallback-model': { type: 'string' },
  record: { type: 'string' },
  'system-prompt': { type: 'string' },
  'append-system-prompt': { type: 'string' },
  tools: { type: 'string', default: 'default' },
  bare: { type: 'boolean', default: false },
  init: { type: 'boolean', default: false },
  maintenance: { type: 'boolean', default: false },
  'max-turns': { type: 'string' },
  'max-budget-usd': { type: 'string' },
} as const

/** Parses and checks the options of `haft` and `haft -p`. Reads no files. */
export function readAgentOptions(args: readonly string[]): AgentOptions {
  const { args: plainArguments, prompts: dashPrompts } = splitArguments(args)
  refuseUnsupportedOptions(plainArguments)
  const { values, positionals } = parseOptions(plainArguments, PRINT_OPTIONS)
  const promptArguments = [...dashPrompts, ...positionals]
  const prompts = promptArguments.filter((argument) => argument !== '-')
  if (prompts.length > 1)
    throw new UsageError(`unexpected second prompt ${quote(prompts[1] ?? '')}. Put the prompt in quotes.`)
  const programOptions = readProgramOptions(values)
  const { settingSources, hasStrictServers } = programOptions
  const options: AgentOptions = {
    ...programOptions,
    // A program that sends lines need not ask for print mode.
    isPrintMode: values.print || values['input-format'] === 'stream-json',
    prompt: prompts[0],
    waitsForInput: promptArguments.includes('-'),
    settings: { ...withMode(values), settingSources, hasStrictServers },
    session: {
      shouldContinueLatest: values.continue,
      resume: values.resume,
      shouldFork: values['fork-session'],
      id: values['session-id'],
    },
    output: parseChoice('--output-format', values['output-format'], OUTPUT_FORMATS),
    input: parseChoice('--input-format', values['input-format'], INPUT_FORMATS),
    isVerbose: values.verbose,
    isScreenReader: values['screen-reader'],
    isQuiet: values.quiet,
    mayAsk: values.ask,
    hasPartialMessages: values['include-partial-messages'],
    jsonSchema: values['json-schema'],
    permissionPromptTool: values['permission-prompt-tool'],
    model: requireNonEmpty('--model', values.model),
    fallbackModel: requireNonEmpty('--fallback-model', values['fallback-model']),
    record: requireNonEmpty('--record', values.record, 'a file'),
    systemPrompt: values['system-prompt'],
    appendSystemPrompt: values['append-system-prompt'],
    tools: values.tools,
    isBare: values.bare,
    setup: parseSetup(values),
    maxTurns: parsePositiveInteger('--max-turns', values['max-turns']),
    maxBudgetUsd: parseAmount('--max-budget-usd', values['max-budget-usd']),
  }
  checkCombinations(options)
  return options
}

function parseSetup({
  init,
  maintenance,
}: {
  readonly init: boolean
  readonly maintenance: boolean
}): AgentOptions['setup'] {
  if (init && maintenance) throw new UsageError('use --init or --maintenance, not both.')
  if (init) return 'init'
  return maintenance ? 'maintenance' : undefined
}

/** `--dangerously-skip-permissions` is another name for a permission mode. */
function withMode<T extends SettingsValues & { readonly 'dangerously-skip-permissions': boolean }>(values: T): T {
  if (!values['dangerously-skip-permissions']) return values
  const mode = 'bypassPermissions'
  if (values['permission-mode'] !== undefined && values['permission-mode'] !== mode)
    throw new UsageError('use --dangerously-skip-permissions or --permission-mode, not both.')
  return { ...values, 'permission-mode': mode }
}

function checkCombinations(options: AgentOptions): void {
  checkSession(options.session)
  if (options.isVerbose && options.isQuiet) throw new UsageError('use --verbose or --quiet, not both.')
  const { output, input, prompt } = options
  if (options.hasPartialMessages && output !== 'stream-json')
    throw new UsageError('--include-partial-messages needs --output-format stream-json.')
  if (options.mayAsk && (!options.isPrintMode || input !== 'text' || options.permissionPromptTool !== undefined))
    throw new UsageError('--ask needs -p with a prompt, and no --permission-prompt-tool.')
  if (input === 'text') {
    if (options.permissionPromptTool === 'stdio')
      throw new UsageError('--permission-prompt-tool stdio needs --input-format stream-json.')
    return
  }
  if (output !== 'stream-json') throw new UsageError('--input-format stream-json needs --output-format stream-json.')
  if (prompt !== undefined || options.waitsForInput)
    throw new UsageError('--input-format stream-json reads prompts from standard input only; omit the prompt argument.')
}

function checkSession({ shouldContinueLatest, resume, shouldFork, id }: SessionChoice): void {
  const isContinued = shouldContinueLatest || resume !== undefined
  if (shouldContinueLatest && resume !== undefined) throw new UsageError('use --resume or --continue, not both.')
  if (shouldFork && !isContinued) throw new UsageError('--fork-session needs --resume ID or --continue.')
  if (resume !== undefined && resume !== '' && !isSessionId(resume))
    throw new UsageError(`invalid session id ${quote(resume)}. List the sessions of this folder with haft --resume.`)
  if (id !== undefined && !isSessionId(id))
    throw new UsageError(
      `invalid --session-id ${quote(id)}: use up to 100 letters, digits, - and _, starting with a letter or digit.`,
    )
  if (id !== undefined && isContinued && !shouldFork)
    throw new UsageError('--session-id with --resume or --continue needs --fork-session.')
}

function parseChoice<T extends string>(option: string, value: string, choices: readonly T[]): T {
  const choice = choices.find((candidate) => candidate === value)
  if (choice === undefined)
    throw new UsageError(`invalid value ${quote(value)} for ${option}. Use ${choices.join(', ')}.`)
  return choice
}

function requireNonEmpty(option: string, value: string | undefined, expected = 'a name'): string | undefined {
  if (value?.trim() === '') throw new UsageError(`${option} needs ${expected}.`)
  return value
}

function parsePositiveInteger(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new UsageError(`${option} must be a positive integer, not ${quote(text)}.`)
}

function parseAmount(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const value = /^\d{1,9}(\.\d+)?$|^\.\d+$/.test(text) ? Number(text) : 0
  if (value > 0) return value
  throw new UsageError(`${option} must be an amount greater than 0, for example 0.50, not ${quote(text)}.`)
}

/** Session ids are used as file names, so only characters that are safe on all platforms are allowed. */
const SESSION_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/

/**
 * Prepares arguments for `parseArgs`, which supports neither an optional value for `--resume` nor a prompt that starts
 * with a dash after `-p`.
 */
function splitArguments(args: readonly string[]): {
  readonly args: readonly string[]
  readonly prompts: readonly string[]
} {
  const end = args.includes('--') ? args.indexOf('--') : args.length
  const optionArguments: string[] = []
  const prompts: string[] = []
  for (const arg of args.slice(0, end).map(toKebabCase)) {
    const previousArgument = optionArguments.at(-1) ?? ''
    if (previousArgument === RESUME_WITHOUT_ID && isSessionId(arg))
      optionArguments[optionArguments.length - 1] = `${RESUME_WITHOUT_ID}${arg}`
    else if (PRINT_FLAGS.has(previousArgument) && /^-.*\s/s.test(arg)) prompts.push(arg)
    else optionArguments.push(RESUME_FLAGS.has(arg) ? RESUME_WITHOUT_ID : arg)
  }
  return { args: [...optionArguments, ...args.slice(end)], prompts }
}

const RESUME_WITHOUT_ID = '--resume='
const RESUME_FLAGS: ReadonlySet<string> = new Set(['--resume', '-r'])
const PRINT_FLAGS: ReadonlySet<string> = new Set(['--print', '-p'])

function isSessionId(text: string): boolean {
  return SESSION_ID.test(text)
}
