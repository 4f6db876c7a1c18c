import type { Answer, AskPort, Question } from '../contract/ports/ask.js'
import { printable } from '../shared/printable.js'
import type { CommandIo } from './command.js'
import type { CommandHost } from './command-host.js'

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
