import type { AskPermission, PermissionAnswer, PermissionQuestion } from '../../calls/call-environment.js'
import type { PermissionUpdate, UpdateDestination } from '../../contract/permission/result.js'
import type { Answer, AskPort, Question } from '../../contract/ports/ask.js'
import { ownSettingsFile } from '../../settings/files/settings-files.js'
import type { LoadedSettings } from '../../settings/load-settings.js'
import { updateRefusal } from '../../settings/merge/restrict-layers.js'
import { printable } from '../../shared/printable.js'
import type { CommandHost, CommandIo } from '../io/command.js'

/** More of one field than anybody reads before an answer. */
const MAX_FIELD_CHARS = 10_000

type RulesUpdate = Extract<PermissionUpdate, { readonly rules: unknown }>

type KeptWhere = Pick<LoadedSettings, 'projectRoot' | 'restrictions' | 'isTrusted'>

interface Choice {
  readonly text: string
  answer(): PermissionAnswer | Promise<PermissionAnswer>
}

/** Puts permission questions to the person at the terminal, in plain text: once, always, no, no with a word why. */
export function askInTerminal(io: Pick<CommandIo, 'err'>, host: CommandHost, settings: KeptWhere): AskPermission {
  return async (question) => {
    const choices = choicesFor(question, host, settings)
    const lines = choices.map(({ text }, index) => `  ${index + 1}  ${printable(text)}\n`)
    io.err(`${printable(question.message)}\n${describeCall(question)}${lines.join('')}${hintFor(question, settings)}`)
    for (;;) {
      const line = await host.readLine(`Answer 1 to ${choices.length}: `, { signal: question.signal })
      if (line === undefined) return { behavior: 'deny' }
      const choice = /^[1-9]$/.test(line.trim()) ? choices[Number(line) - 1] : undefined
      if (choice !== undefined) return choice.answer()
    }
  }
}

function choicesFor(question: PermissionQuestion, host: CommandHost, settings: KeptWhere): readonly Choice[] {
  const kept = question.suggestions.filter((update): update is RulesUpdate => isKept(update, settings))
  return [
    { text: 'yes, once', answer: () => ({ behavior: 'allow' }) },
    ...kept.map((update) => ({
      text: `always: saves ${update.rules.join(', ')} to ${fileOf(update.destination, host, settings)}`,
      answer: () => ({ behavior: 'allow' as const, updates: [update] }),
    })),
    { text: 'no', answer: () => ({ behavior: 'deny' }) },
    { text: 'no, and say what to do instead', answer: () => askWhy(question, host) },
  ]
}

/** Why nothing can be kept, where trust is all that is missing. */
function hintFor({ suggestions }: PermissionQuestion, { isTrusted, restrictions }: KeptWhere): string {
  const couldKeep = suggestions.some((update) => isKept(update, { isTrusted: true, restrictions }))
  return !isTrusted && couldKeep ? 'A rule can be kept only where the project is trusted (--trust).\n' : ''
}

async function askWhy({ signal }: PermissionQuestion, host: CommandHost): Promise<PermissionAnswer> {
  const message = (await host.readLine('What instead? ', { signal }))?.trim()
  return message === undefined || message === '' ? { behavior: 'deny' } : { behavior: 'deny', message }
}

/** What would be kept beyond this command: nothing of a session that ends with it, nothing that would not be taken later. */
function isKept(
  update: PermissionUpdate,
  { restrictions, isTrusted }: Pick<KeptWhere, 'restrictions' | 'isTrusted'>,
): boolean {
  if (!('rules' in update) || update.destination === 'session') return false
  if (!isTrusted && update.destination !== 'userSettings') return false
  return updateRefusal(update, restrictions) === undefined
}

function fileOf(
  destination: UpdateDestination,
  { homeDir }: CommandHost,
  { projectRoot }: Pick<LoadedSettings, 'projectRoot'>,
): string {
  return destination === 'session' ? 'this run' : ownSettingsFile(destination, { projectRoot, home: homeDir })
}

/** The whole call: a summary could hide the part that matters. */
function describeCall({ tool, input, preview }: PermissionQuestion): string {
  const fields = Object.entries(input).map(([name, value]) => {
    const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
    return `    ${printable(name)}: ${inFull(text)}\n`
  })
  const shown = preview === undefined ? '' : `    ${inFull(preview)}\n`
  return `  ${tool.name}\n${fields.join('')}${shown}`
}

function inFull(text: string): string {
  const hidden = text.length - MAX_FIELD_CHARS
  const note = hidden > 0 ? `\n      [${hidden} more characters are not shown]` : ''
  return text.slice(0, MAX_FIELD_CHARS).split('\n').map(printable).join('\n      ') + note
}

/** The person at the terminal, for tools that have questions of their own. */
export function terminalAskPort(io: Pick<CommandIo, 'err'>, host: CommandHost): AskPort {
  return {
    canAsk: true,
    async askQuestions(questions, { signal } = {}) {
      const answers: Answer[] = []
      for (const question of questions) {
        io.err(questionText(question))
        const line = await host.readLine(
          question.multiSelect ? 'Numbers, or your own answer: ' : 'A number, or your own answer: ',
          signal === undefined ? {} : { signal },
        )
        if (line === undefined) return undefined
        answers.push(answerOf(question, line.trim()))
      }
      return answers
    },
    handleElicitation: async () => ({ action: 'decline' }),
  }
}

function questionText({ question, options }: Question): string {
  const lines = options.map(
    ({ label, description }, index) => `  ${index + 1}  ${printable(`${label}: ${description}`)}`,
  )
  return `${[printable(question), ...lines].join('\n')}\n`
}

/** Numbers choose; anything else is the person's own answer. */
function answerOf({ question, options, multiSelect }: Question, line: string): Answer {
  const numbers = line.split(/[\s,]+/).map(Number)
  const chosen = numbers.map((number) => options[number - 1]?.label)
  const isChoice = chosen.every((label) => label !== undefined) && (multiSelect || chosen.length === 1)
  if (isChoice) return { question, chosen: chosen.filter((label) => label !== undefined) }
  return line === '' ? { question, chosen: [] } : { question, chosen: [], other: line }
}
