import type { View } from '../../contract/views.js'
import { measureContext } from '../../session/context/measure-context.js'
import { formatCounted } from '../../shared/counted.js'
import { THEME_NAMES, type ThemeName } from '../../views/themes.js'
import type { TerminalApp } from '../app/terminal-app.js'
import { formatCost, formatTokens } from '../blocks/format.js'
import { ChoiceDialog } from '../dialogs/choice-dialog.js'
import { showTasks } from './show-tasks.js'
import type { SlashCommand, SlashCommands } from './slash-commands.js'

const KEYS: readonly (readonly [string, string])[] = [
  ['Enter', 'send; while the model works: add it to the next step'],
  ['Tab, Alt+Enter', 'while the model works: queue it until the model has finished'],
  ['Shift+Enter, Ctrl+J, \\ Enter', 'new line'],
  ['Esc', 'interrupt the model; leave a dialog'],
  ['Shift+Tab', 'change the permission mode'],
  ['Ctrl+O', 'show the whole transcript, with search and complete results'],
  ['Ctrl+B', 'background tasks: watch their output, stop them'],
  ['Ctrl+G', 'write the prompt in your editor ($VISUAL, $EDITOR)'],
  ['↑ ↓, Ctrl+R', 'recall earlier prompts, or edit a waiting one; search them'],
  ['@', 'complete a file name'],
  ['Ctrl+C twice, Ctrl+D', 'leave'],
]

/** Creates the commands that concern only the terminal and the conversation. */
export function createAppCommands(commands: SlashCommands, settings: AppCommandSettings): readonly SlashCommand[] {
  return [
    {
      name: 'help',
      summary: 'show commands and keys',
      runsWhileWorking: true,
      run: () => ({ view: describeHelp(commands.list) }),
    },
    {
      name: 'context',
      summary: 'show what fills the context window, part by part',
      run: async (_, app) => ({ view: await describeContext(app) }),
    },
    {
      name: 'cost',
      summary: 'show tokens and cost of this session',
      runsWhileWorking: true,
      run: (_, app) => ({ view: describeCost(app) }),
    },
    {
      name: 'compact',
      summary: 'replace the conversation with a summary',
      argumentHint: '[WHAT TO KEEP]',
      run: (args, app) => compact(args, app),
    },
    {
      name: 'tasks',
      summary: 'watch background tasks, and stop them',
      runsWhileWorking: true,
      run: async (_, app) => {
        await showTasks(app)
        return undefined
      },
    },
    {
      name: 'theme',
      summary: 'change the colours',
      argumentHint: '[NAME]',
      runsWhileWorking: true,
      run: (args, app) => changeTheme(args, app, settings),
    },
    {
      name: 'vim',
      summary: 'turn vim keys on or off',
      runsWhileWorking: true,
      async run(_, { prompt: { editor } }) {
        editor.isVim = !editor.isVim
        await settings.saveEditorMode(editor.isVim ? 'vim' : 'normal')
        return { view: `The prompt uses ${editor.isVim ? 'vim keys' : 'the default keys'}.` }
      },
    },
    {
      name: 'copy',
      summary: 'copy the last answer to the clipboard',
      runsWhileWorking: true,
      run: (_, app) => copyAnswer(app),
    },
    {
      name: 'exit',
      summary: 'leave',
      runsWhileWorking: true,
      run(_, app) {
        app.exit()
        return undefined
      },
    },
  ]
}

/** Saves the user's choices in the settings. */
export interface AppCommandSettings {
  saveTheme(name: ThemeName): Promise<void>
  saveEditorMode(mode: 'normal' | 'vim'): Promise<void>
}

function describeHelp(commands: readonly SlashCommand[]): View {
  const sortedCommands = commands.toSorted((a, b) => a.name.localeCompare(b.name))
  const rows = sortedCommands.map(({ name, argumentHint = '', summary, source }) => [
    { type: 'text', text: `/${name} ${argumentHint}`.trim(), tone: 'accent' } as const,
    source === undefined ? summary : `${summary} (${source})`,
  ])
  return {
    type: 'group',
    layout: 'block',
    children: [
      { type: 'table', columns: ['command', 'what it does'], rows },
      '',
      { type: 'table', columns: ['key', 'what it does'], rows: KEYS.map(([key, effect]) => [key, effect]) },
    ],
  }
}

/** Built-in tools and servers beyond these are added up in one row. */
const MAX_DETAILS = 20
const SHARE_MARK = '~'
/** After this time, the tokens are estimated. */
const MAX_COUNTING_MS = 10_000

async function describeContext({ session: { session } }: TerminalApp): Promise<View> {
  const { requestSource, model } = session
  const signal = AbortSignal.timeout(MAX_COUNTING_MS)
  const { parts, tokens, window, isCounted, countFailure } = await measureContext(requestSource, model, { signal })
  const createRow = (name: string | View, rowTokens: number, mark = '') => [
    name,
    mark + rowTokens.toLocaleString('en-US'),
    `${((rowTokens / window) * 100).toFixed(1)}%`,
  ]
  const rows = parts.flatMap(({ name, tokens: partTokens, isShare, details }) => {
    const detailMark = isCounted ? SHARE_MARK : ''
    const hiddenDetails = details.slice(MAX_DETAILS)
    const hiddenTokens = hiddenDetails.reduce((sum, detail) => sum + detail.tokens, 0)
    return [
      createRow({ type: 'text', text: name, bold: true }, partTokens, isShare ? SHARE_MARK : ''),
      ...details
        .slice(0, MAX_DETAILS)
        .map((detail) => createRow(`  ${detail.name || 'text'}`, detail.tokens, detailMark)),
      ...(hiddenDetails.length > 0 ? [createRow(`  ${hiddenDetails.length} more`, hiddenTokens, detailMark)] : []),
    ]
  })
  const method = isCounted
    ? `Counted by the provider; ${SHARE_MARK} marks estimates, where several parts were counted together.`
    : `Estimated by length: ${countFailure === undefined ? 'this provider has no token counter.' : `the token counter of the provider failed. ${countFailure}`}`
  return {
    type: 'group',
    layout: 'block',
    children: [
      {
        type: 'table',
        columns: ['part', 'tokens', 'of window'],
        rows: [
          ...rows,
          createRow({ type: 'text', text: 'Total', bold: true }, tokens),
          createRow('Free', Math.max(0, window - tokens)),
        ],
      },
      '',
      { type: 'text', text: `${model.id}, window of ${formatTokens(window)} tokens. ${method}`, tone: 'muted' },
    ],
  }
}

function describeCost({ session: { session } }: TerminalApp): View {
  const { usage, costUsd, toolUses } = session.spending
  return {
    type: 'fields',
    fields: [
      {
        label: 'cost',
        value: costUsd === undefined ? 'unknown: no prices for one of the models' : formatCost(costUsd),
      },
      { label: 'input', value: `${formatTokens(usage.input)} tokens` },
      { label: 'from cache', value: `${formatTokens(usage.cacheRead)} tokens` },
      { label: 'to cache', value: `${formatTokens(usage.cacheWrite)} tokens` },
      { label: 'output', value: `${formatTokens(usage.output)} tokens` },
      ...(usage.webSearches === undefined ? [] : [{ label: 'web searches', value: String(usage.webSearches) }]),
      { label: 'calls', value: String(toolUses) },
    ],
  }
}

async function compact(instructions: string, app: TerminalApp) {
  const isDone = await app.runWork('Summarising', (signal, onEvent) =>
    app.session.session.compact({ signal, onEvent, ...(instructions !== '' && { instructions }) }),
  )
  return isDone ? undefined : { view: 'The conversation was not summarised.' }
}

async function changeTheme(args: string, app: TerminalApp, settings: AppCommandSettings) {
  let name = THEME_NAMES.find((candidate) => candidate === args)
  if (args === '') {
    const choice = await app.prompt.ask(
      new ChoiceDialog(
        'Colours',
        THEME_NAMES.map((label) => ({ label })),
      ),
      undefined,
    )
    name = choice === undefined ? undefined : THEME_NAMES[choice]
    if (name === undefined) return undefined
  }
  if (name === undefined) return { view: `Unknown theme ${args}. Use ${THEME_NAMES.join(', ')}.` }
  app.prompt.setTheme(name)
  await settings.saveTheme(name)
  return { view: `Theme: ${name}` }
}

function copyAnswer(app: TerminalApp) {
  const { messages } = app.session.session.conversation
  const answer = messages.findLast((message) => message.type === 'assistant')
  const text =
    answer?.type === 'assistant'
      ? answer.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
      : ''
  if (text === '') return { view: 'There is no answer to copy.' }
  app.prompt.screen.copy(text)
  return { view: `Copied ${formatCounted(text.length, 'character')}.` }
}
