import type { View } from '../../../contract/views.js'
import { renderView } from '../../../views/render-view.js'
import type { StyledLine } from '../../../views/styled-line.js'

const MODEL_SOURCES: readonly { readonly situation: string; readonly commands: string }[] = [
  { situation: 'You have an Anthropic API key', commands: 'export ANTHROPIC_API_KEY=…\nhaft' },
  { situation: 'You have an OpenAI API key', commands: 'export OPENAI_API_KEY=…\nhaft' },
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

/**
 * Explains on one screen how to configure a model. `problem` says why none could be opened. Sentences are wrapped between
 * words; commands are not, so that they can be copied.
 */
export function explainModels(
  problem: string,
  { columns, isScreenReader }: { readonly columns: number; readonly isScreenReader: boolean },
): StyledLine[] {
  const sentence = (view: View) => renderView(view, { verbose: false, isScreenReader, width: columns })
  const code = (text: string) =>
    renderView({ type: 'code', text, language: 'bash' }, { verbose: false, isScreenReader })
  return [
    ...sentence({ type: 'text', text: 'Haft needs a model.', bold: true }),
    ...sentence({ type: 'text', text: problem, tone: 'warning' }),
    ...MODEL_SOURCES.flatMap(({ situation, commands }) => [
      [],
      ...sentence(`${situation}:`),
      ...code(commands.replace(/^/gm, '  ')),
    ]),
    [],
    ...sentence({
      type: 'text',
      text: 'Put the exports into your shell profile, or name the model in ~/.haft/settings.json ("model", "providers"). Tools work without a model: haft tools, haft call, haft doctor.',
      tone: 'muted',
    }),
  ]
}
