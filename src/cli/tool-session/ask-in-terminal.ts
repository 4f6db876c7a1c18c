import type { AskPermission, PermissionAnswer, PermissionQuestion } from '../../calls/call-environment.js'
import type { PermissionUpdate, UpdateDestination } from '../../contract/permission/result.js'
import type { Answer, AskPort, Question } from '../../contract/ports/ask.js'
import { settingsFileOf } from '../../settings/files/settings-files.js'
import type { LoadedSettings } from '../../settings/load-settings.js'
import { findUpdateRefusal } from '../../settings/merge/restrict-layers.js'
import { cutText } from '../../shared/cut-text.js'
import { toPrintable } from '../../shared/printable.js'
import type { CommandHost, CommandIo } from '../io/command.js'

/** Longer input fields are cut in the question. */
const MAX_FIELD_CHARS = 10_000

type RulesUpdate = Extract<PermissionUpdate, { readonly rules: unknown }>

export type SaveContext = Pick<LoadedSettings, 'projectRoot' | 'restrictions' | 'isTrusted'>

interface AnswerChoice {
  readonly text: string
  answer(): PermissionAnswer | Promise<PermissionAnswer>
}

/** Asks permission questions in the terminal, as plain text: once, always, no, or no with a message. */
export function askInTerminal(io: Pick<CommandIo, 'err'>, host: CommandHost, settings: SaveContext): AskPermission {
  return async (question) => {
    const choices = createChoices(question, host, settings)
    const lines = choices.map(({ text }, index) => `  ${index + 1}  ${toPrintable(text)}\n`)
    io.err(
      `${describeAgent(question)}${toPrintable(question.message)}\n${describeCall(question)}${lines.join('')}${createTrustHint(question, settings)}`,
    )
    for (;;) {
      const line = await host.readLine(`Answer 1 to ${choices.length}: `, { signal: question.signal })
      if (line === undefined) return { behavior: 'deny' }
      const choice = /^[1-9]$/.test(line.trim()) ? choices[Number(line) - 1] : undefined
      if (choice !== undefined) return choice.answer()
    }
  }
}

function createChoices(
  question: PermissionQuestion,
  host: CommandHost,
  settings: SaveContext,
): readonly AnswerChoice[] {
  const savableUpdates = question.suggestions.filter((update): update is RulesUpdate => isSavable(update, settings))
  return [
    { text: 'yes, once', answer: () => ({ behavior: 'allow' }) },
    ...savableUpdates.map((update) => ({
      text: `always (save ${update.rules.join(', ')} to ${fileOf(update.destination, host, settings)})`,
      answer: () => ({ behavior: 'allow' as const, updates: [update] }),
    })),
    { text: 'no', answer: () => ({ behavior: 'deny' }) },
    { text: 'no, and tell the model what to do instead', answer: () => askForInstructions(question, host) },
  ]
}

/** Names the sub-agent or teammate that asks. */
function describeAgent({ agent }: PermissionQuestion): string {
  return agent === undefined ? '' : `Agent ${toPrintable(agent.name ?? agent.id)}: `
}

/** Explains that rules could be saved if the project were trusted. */
function createTrustHint({ suggestions }: PermissionQuestion, { isTrusted, restrictions }: SaveContext): string {
  const hasSavableUpdate = suggestions.some((update) => isSavable(update, { isTrusted: true, restrictions }))
  return !isTrusted && hasSavableUpdate ? 'Rules can only be saved in a trusted project (--trust).\n' : ''
}

async function askForInstructions({ signal }: PermissionQuestion, host: CommandHost): Promise<PermissionAnswer> {
  const message = (await host.readLine('What should the model do instead? ', { signal }))?.trim()
  return message === undefined || message === '' ? { behavior: 'deny' } : { behavior: 'deny', message }
}

/** Whether an update can be saved, so that it still applies after this command. */
export function isSavable(
  update: PermissionUpdate,
  { restrictions, isTrusted }: Pick<SaveContext, 'restrictions' | 'isTrusted'>,
): boolean {
  if (!('rules' in update) || update.destination === 'session') return false
  if (!isTrusted && update.destination !== 'userSettings') return false
  return findUpdateRefusal(update, restrictions) === undefined
}

export function fileOf(
  destination: UpdateDestination,
  { homeDir }: CommandHost,
  { projectRoot }: Pick<LoadedSettings, 'projectRoot'>,
): string {
  return destination === 'session' ? 'this run' : settingsFileOf(destination, { projectRoot, home: homeDir })
}

/** Shows the whole call, because a summary could hide the dangerous part. */
function describeCall({ tool, input, preview, description, isDestructive }: PermissionQuestion): string {
  const fields = Object.entries(input).map(([name, value]) => {
    const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
    return `    ${toPrintable(name)}: ${formatField(text)}\n`
  })
  const previewText = preview === undefined ? '' : `    ${formatField(preview)}\n`
  const descriptionText = description === undefined ? '' : `: ${toPrintable(description)}`
  const warning = isDestructive ? 'This call may destroy data.\n' : ''
  return `  ${tool.name}${descriptionText}\n${fields.join('')}${previewText}${warning}`
}

function formatField(text: string): string {
  const hiddenChars = text.length - MAX_FIELD_CHARS
  const note = hiddenChars > 0 ? `\n      [${hiddenChars} more characters not shown]` : ''
  return cutText(text, MAX_FIELD_CHARS).split('\n').map(toPrintable).join('\n      ') + note
}

/** Asks the questions of tools in the terminal. */
export function createTerminalAskPort(io: Pick<CommandIo, 'err'>, host: CommandHost): AskPort {
  return {
    canAsk: true,
    async askQuestions(questions, { signal } = {}) {
      const answers: Answer[] = []
      for (const question of questions) {
        io.err(formatQuestion(question))
        const line = await host.readLine(
          question.multiSelect ? 'Numbers or your own answer: ' : 'Number or your own answer: ',
          signal === undefined ? {} : { signal },
        )
        if (line === undefined) return undefined
        answers.push(parseAnswer(question, line.trim()))
      }
      return answers
    },
    handleElicitation: async () => ({ action: 'decline' }),
  }
}

function formatQuestion({ question, options }: Question): string {
  const lines = options.map(
    ({ label, description }, index) => `  ${index + 1}  ${toPrintable(`${label}: ${description}`)}`,
  )
  return `${[toPrintable(question), ...lines].join('\n')}\n`
}

/** Parses an answer. Numbers select options; any other text is a free answer. */
function parseAnswer({ question, options, multiSelect }: Question, line: string): Answer {
  const numbers = line.split(/[\s,]+/).map(Number)
  const chosenLabels = numbers.map((number) => options[number - 1]?.label)
  const isChoice = chosenLabels.every((label) => label !== undefined) && (multiSelect || chosenLabels.length === 1)
  if (isChoice) return { question, chosen: chosenLabels.filter((label) => label !== undefined) }
  return line === '' ? { question, chosen: [] } : { question, chosen: [], other: line }
}
