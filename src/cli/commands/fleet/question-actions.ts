import type { FleetClient } from '../../../fleet/fleet-client.js'
import type { StoredQuestion } from '../../../fleet/questions/question-store.js'
import type { CommandHost } from '../../io/command.js'
import { EXIT, UsageError } from '../../io/exit.js'
import { parseOptions } from '../../options/parse-options.js'
import { type FleetAction, TENANT_OPTIONS, withClient } from './open-fleet.js'

/** `haft fleet ask [RUN]`: lists open questions; in a terminal, asks for the answers. */
export const askPerson: FleetAction = async (io, args) => {
  const { values, positionals } = parseOptions(args, TENANT_OPTIONS)
  const host = await io.host()
  return withClient(io, values, async (client) => {
    const questions = await client.questions.listOpen(positionals[0])
    if (values.json) io.out(`${JSON.stringify(questions, null, 2)}\n`)
    else if (questions.length === 0) io.out('No open questions.\n')
    else for (const question of questions) await present(question, client, host, (text) => io.out(text))
    return EXIT.done
  })
}

async function present(
  stored: StoredQuestion,
  client: FleetClient,
  host: CommandHost,
  out: (text: string) => void,
): Promise<void> {
  out(`${stored.id}  run ${stored.run}\n${describe(stored)}`)
  if (!host.isInteractive) return
  const prompt = stored.kind === 'permission' ? 'Allow? [y/n, Enter skips] ' : 'Answer (Enter skips): '
  const line = (await host.readLine(prompt))?.trim() ?? ''
  if (line !== '') await client.questions.answer(stored.id, toAnswer(stored, line), 'haft fleet ask')
}

function describe({ kind, question }: StoredQuestion): string {
  if (kind === 'permission')
    return `  ${String(question.tool)} ${JSON.stringify(question.input)}\n  ${String(question.message)}\n`
  return `  ${JSON.stringify(question.questions, null, 2).replaceAll('\n', '\n  ')}\n`
}

/** `haft fleet answer QUESTION allow|deny|TEXT`. */
export const answerQuestion: FleetAction = async (io, args) => {
  const { values, positionals } = parseOptions(args, { ...TENANT_OPTIONS, message: { type: 'string' } })
  const [id, answer, ...others] = positionals
  if (id === undefined || answer === undefined || others.length > 0)
    throw new UsageError('expected a question and an answer: haft fleet answer QUESTION allow|deny|"TEXT".')
  return withClient(io, values, async (client) => {
    const stored = await client.questions.get(id)
    await client.questions.answer(id, toAnswer(stored, answer, values.message), 'haft fleet answer')
    return EXIT.done
  })
}

function toAnswer({ kind, question }: StoredQuestion, text: string, message?: string): unknown {
  if (kind === 'permission') {
    const behavior = { y: 'allow', yes: 'allow', allow: 'allow', n: 'deny', no: 'deny', deny: 'deny' }[text]
    if (behavior === undefined) throw new UsageError(`answer allow or deny, not "${text}".`)
    return { behavior, ...(message !== undefined && { message }) }
  }
  const questions = question.questions as readonly {
    readonly question: string
    readonly options: readonly { readonly label: string }[]
  }[]
  return {
    answers: questions.map(({ question: asked, options }) =>
      options.some(({ label }) => label === text)
        ? { question: asked, chosen: [text] }
        : { question: asked, chosen: [], other: text },
    ),
  }
}
