import type { View } from '../../../contract/views.js'

const WAYS: readonly { readonly have: string; readonly commands: string }[] = [
  { have: 'You have a key of Anthropic', commands: 'export ANTHROPIC_API_KEY=…\nhaft' },
  { have: 'You have a key of OpenAI', commands: 'export OPENAI_API_KEY=…\nhaft' },
  {
    have: 'You run a model yourself, for example with Ollama, vLLM or llama.cpp',
    commands: 'export OPENAI_BASE_URL=http://localhost:11434/v1\nexport HAFT_MODEL=qwen3-coder\nhaft',
  },
  {
    have: 'You use a gateway such as OpenRouter',
    commands: 'export OPENAI_BASE_URL=https://…/v1 OPENAI_API_KEY=… HAFT_MODEL=…\nhaft',
  },
  { have: 'You only want to look around: a scripted model, no key and no network', commands: 'haft demo' },
]

/** One screen that says how to get a model. `problem` says which setting was tried, if one was. */
export function explainModels(problem: string): View {
  return {
    type: 'group',
    layout: 'block',
    children: [
      { type: 'text', text: 'Haft needs a model.', bold: true },
      { type: 'text', text: problem, tone: 'warning' },
      ...WAYS.flatMap(({ have, commands }): readonly View[] => [
        '',
        `${have}:`,
        { type: 'code', text: commands.replace(/^/gm, '  '), language: 'bash' },
      ]),
      '',
      {
        type: 'text',
        text: 'Put the exports into the profile of your shell, or name the model in ~/.haft/settings.json ("model", "providers"). Tools work without a model: haft tools, haft call, haft doctor.',
        tone: 'muted',
      },
    ],
  }
}
