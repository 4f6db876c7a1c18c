import type { View } from '../../../contract/views.js'
import { renderView } from '../../../views/render-view.js'
import type { StyledLine } from '../../../views/styled-line.js'
import { explainLocalServer, type LocalServer } from '../models/find-local-servers.js'

interface ModelSource {
  readonly situation: string
  readonly commands: string
}

const MODEL_SOURCES: readonly ModelSource[] = [
  { situation: 'You have an Anthropic API key', commands: 'haft login anthropic\nhaft' },
  { situation: 'You have an OpenAI API key', commands: 'haft login openai\nhaft' },
  {
    situation: 'You run a model yourself, for example with Ollama, vLLM or llama.cpp',
    commands: 'export OPENAI_BASE_URL=http://localhost:11434/v1\nexport HAFT_MODEL=qwen3-coder\nhaft',
  },
  {
    situation: 'You use a gateway such as OpenRouter',
    commands: 'export OPENAI_BASE_URL=https://…/v1\nexport OPENAI_API_KEY=… HAFT_MODEL=…\nhaft',
  },
  { situation: 'You only want to try it: a scripted model, without key and network', commands: 'haft demo' },
]

/** What was found on this machine. */
export interface FoundSources {
  /** Where keys were found. */
  readonly keys: readonly string[]
  readonly servers: readonly LocalServer[]
}

/**
 * Explains on one screen how to configure a model. `problem` says why none could be opened. Sentences are wrapped between
 * words; commands are not, so that they can be copied.
 */
export function explainModels(
  problem: string,
  { keys, servers }: FoundSources,
  { columns, isScreenReader }: { readonly columns: number; readonly isScreenReader: boolean },
): StyledLine[] {
  const foundSources = servers.map((server) => ({
    situation: `${server.name} runs on this machine with ${server.models.length} models, for example ${server.models[0]}`,
    commands: explainLocalServer(server),
  }))
  const sentence = (view: View) => renderView(view, { verbose: false, isScreenReader, width: columns })
  const code = (text: string) =>
    renderView({ type: 'code', text, language: 'bash' }, { verbose: false, isScreenReader })
  return [
    ...sentence({ type: 'text', text: 'Haft needs a model.', bold: true }),
    ...sentence({ type: 'text', text: problem, tone: 'warning' }),
    ...(keys.length === 0 ? [] : sentence(`Keys found: ${keys.join(', ')}.`)),
    ...[...foundSources, ...MODEL_SOURCES].flatMap(({ situation, commands }) => [
      [],
      ...sentence(`${situation}:`),
      ...code(commands.replace(/^/gm, '  ')),
    ]),
    [],
    ...sentence({
      type: 'text',
      text: 'Put the exports into your shell profile, or name the model with haft config set model NAME. haft models lists what was found. Tools work without a model: haft tools, haft call, haft doctor.',
      tone: 'muted',
    }),
  ]
}
