import type { View } from '../../../contract/views.js'
import { listSessions } from '../../../session/transcript/read/list-sessions.js'
import { findProjectRoot } from '../../../settings/files/find-project-root.js'
import { isProjectTrusted, TrustError, trustProject } from '../../../settings/trust.js'
import { overridePort } from '../../../shared/override-port.js'
import { toRelativePath } from '../../../shared/path-containment.js'
import { reasonOf } from '../../../shared/reason-of.js'
import { version } from '../../../shared/version.js'
import type { PromptScreen } from '../../../terminal/app/prompt-screen.js'
import { type AppEnd, TerminalApp } from '../../../terminal/app/terminal-app.js'
import { replayMessages } from '../../../terminal/blocks/replay.js'
import { ChoiceDialog } from '../../../terminal/dialogs/choice-dialog.js'
import { FileIndex } from '../../../terminal/editor/file-index.js'
import { createAppCommands } from '../../../terminal/slash/app-commands.js'
import { SlashCommands } from '../../../terminal/slash/slash-commands.js'
import { renderView } from '../../../views/render-view.js'
import { openAgentSession } from '../../agent-session/open-agent-session.js'
import type { OpenedSession } from '../../agent-session/opened-session.js'
import { readSavedHistory } from '../../agent-session/saved-history.js'
import type { CommandHost, CommandIo, Interruption } from '../../io/command.js'
import { EXIT, ExitError } from '../../io/exit.js'
import type { AgentOptions, SessionChoice } from '../../options/agent-options.js'
import { openTranscriptMasker } from '../../tool-session/key-variables.js'
import { describeTrust } from '../../tool-session/project-trust.js'
import { createAppSession, editPromptExternally } from './app-session.js'
import { listFiles } from './list-files.js'
import { pickSession } from './pick-session.js'
import type { PromptHistory } from './prompt-history.js'
import { startScheduledRuns } from './scheduled-runs.js'
import { applySetting, createConfigCommand } from './slash/config-command.js'
import { createListCommands } from './slash/list-commands.js'
import { createPromptCommands } from './slash/prompt-commands.js'
import { createSessionCommands, openTranscriptView } from './slash/session-commands.js'
import { UserQuestions } from './user-questions.js'

const NEW_SESSION: SessionChoice = { shouldContinueLatest: false, resume: undefined, shouldFork: false, id: undefined }

/** Opens a session and runs it until the user leaves. `/clear` and `/resume` open another one. */
export async function runSession(
  prompt: PromptScreen,
  io: CommandIo,
  startOptions: AgentOptions,
  history: PromptHistory,
): Promise<number> {
  const host = await io.host()
  const interruption = host.interruption()
  const trust = await askForTrust(prompt, host, startOptions)
  if (trust === 'leave') return EXIT.done
  let options = await withPickedSession(prompt, io, host, withTrust(startOptions, trust === 'trusted'))
  for (;;) {
    if (interruption.exitCode !== undefined) return interruption.exitCode
    const end = await new SessionRun(prompt, io, host, interruption, history).run(options)
    if (end.type === 'leave') return interruption.exitCode ?? EXIT.done
    const session = end.type === 'resume' ? { ...NEW_SESSION, resume: end.id } : NEW_SESSION
    options = { ...options, prompt: undefined, session }
  }
}

/** One session in the terminal, from its start to its end. */
class SessionRun {
  readonly #prompt: PromptScreen
  readonly #io: CommandIo
  readonly #host: CommandHost
  readonly #interruption: Interruption
  readonly #history: PromptHistory
  /** Warnings that arrive before the session is shown. */
  readonly #warnings: string[] = []
  #app: TerminalApp | undefined

  constructor(
    prompt: PromptScreen,
    io: CommandIo,
    host: CommandHost,
    interruption: Interruption,
    history: PromptHistory,
  ) {
    this.#prompt = prompt
    this.#history = history
    this.#host = host
    this.#interruption = interruption
    this.#io = overridePort(io, { err: (text) => this.#warn(text) })
  }

  async run(options: AgentOptions): Promise<AppEnd> {
    const questions = new UserQuestions(this.#prompt, this.#host)
    const openedSession = await openOrExplain(this.#prompt, this.#io, () =>
      openAgentSession(this.#io, this.#host, options, questions),
    )
    const { settings } = openedSession.toolSession
    this.#applySettings(openedSession)
    const app = new TerminalApp(this.#prompt, createAppSession(openedSession))
    this.#app = app
    app.isNotificationEnabled = settings.notifications !== false
    if (settings.idleNotificationMs !== undefined) app.idleMs = settings.idleNotificationMs
    questions.onWaiting = (type, message) => void app.announceWaiting(type, message)
    const leave = () => app.exit()
    this.#interruption.signal.addEventListener('abort', leave, { once: true })
    await this.#addCommands(app, openedSession)
    showStart(app, openedSession, this.#host)
    for (const text of this.#warnings.splice(0)) app.transcript.addNotice('warning', text)
    if (options.prompt !== undefined) app.submit({ text: options.prompt, attachments: [] })
    const runs = new AbortController()
    startScheduledRuns({ io: this.#io, host: this.#host, settings, options, app, signal: runs.signal }).catch((error) =>
      this.#warn(`Scheduled runs are not started: ${reasonOf(error)}`),
    )
    const end = await app.run()
    runs.abort()
    this.#interruption.signal.removeEventListener('abort', leave)
    await close(app, openedSession, end)
    return end
  }

  #warn(text: string): void {
    // Warnings of the command line start with the name of the program.
    const message = text.trim().replace(/^haft: (?:warning: )?/, '')
    if (this.#app === undefined) this.#warnings.push(message)
    else this.#app.transcript.addNotice('warning', message)
  }

  #applySettings({ toolSession: { settings } }: OpenedSession): void {
    this.#history.startStoring(openTranscriptMasker(this.#io, settings))
    if (settings.theme !== undefined) this.#prompt.setTheme(settings.theme)
    if (settings.screenReader === true) this.#prompt.isScreenReader = true
    this.#prompt.editor.isVim = settings.editorMode === 'vim'
  }

  async #addCommands(app: TerminalApp, openedSession: OpenedSession): Promise<void> {
    const slashHost = { io: this.#io, host: this.#host, openedSession }
    const commands = new SlashCommands()
    const { settingStore } = openedSession.toolSession
    settingStore.onChange((name, value) => applySetting(name, value, app))
    commands.add(
      createAppCommands(commands, {
        saveTheme: async (name) => void (await settingStore.change('theme', name)),
        saveEditorMode: async (mode) => void (await settingStore.change('editorMode', mode)),
      }),
    )
    commands.add(createSessionCommands(slashHost))
    commands.add(createListCommands(slashHost))
    commands.add([createConfigCommand(slashHost)])
    commands.add(await createPromptCommands(slashHost))
    const files = new FileIndex()
    this.#prompt.completion.findFiles = (path) => {
      // Files are listed on the first request.
      void files.load(listFiles(this.#host.cwd), () => {
        this.#prompt.editor.refreshCompletion()
        this.#prompt.draw()
      })
      return files.find(path)
    }
    this.#prompt.completion.findCommands = (word) => commands.complete(word)
    app.runSlashCommand = (submission) => commands.run(submission, app)
    app.openTranscript = () => openTranscriptView(app, openedSession.transcriptPath)
    app.openTasks = () => app.submit({ text: '/tasks', attachments: [] })
    app.openExternalEditor = () => void editPromptExternally(app, this.#io)
  }
}

function showStart({ transcript, prompt }: TerminalApp, openedSession: OpenedSession, host: CommandHost): void {
  const { messages } = openedSession.session.conversation
  transcript.addView({
    type: 'group',
    layout: 'inline',
    children: [
      { type: 'text', text: `haft ${version}`, bold: true },
      {
        type: 'text',
        text: `  ${openedSession.session.model.id} · ${shortenPath(host)} · /help for help`,
        tone: 'muted',
      },
    ],
  })
  if (prompt.isScreenReader)
    transcript.addNotice('info', 'Flat output for screen readers: everything is labelled, and choices are numbered.')
  if (messages.length === 0) return
  const history = readSavedHistory(openedSession.transcriptPath)
  replayMessages(messages, transcript, (result) => history?.findShown(result))
}

/** Returns the working directory, with `~` for the home folder. */
function shortenPath({ cwd, homeDir }: CommandHost): string {
  const path = toRelativePath(cwd, homeDir)
  if (path === undefined) return cwd
  return path === '' ? '~' : `~/${path}`
}

/** Ends the session, runs its hooks, and says how to resume it. */
async function close(app: TerminalApp, openedSession: OpenedSession, end: AppEnd): Promise<void> {
  const hasMessages = openedSession.session.conversation.messages.length > 0
  app.transcript.endTurn()
  await openedSession.dispose(end.type === 'clear' ? 'clear' : end.type === 'leave' ? 'prompt_input_exit' : 'other')
  if (hasMessages) app.transcript.addNotice('info', `To continue this session: haft --resume ${openedSession.id}`)
  if (end.type !== 'leave') return
  app.prompt.screen.setFooter({ lines: [] })
  app.prompt.screen.flush()
}

/** Lets the user choose a session if `--resume` has no id. */
async function withPickedSession(
  prompt: PromptScreen,
  { homeDir }: CommandIo,
  host: CommandHost,
  options: AgentOptions,
): Promise<AgentOptions> {
  if (options.session.resume !== '') return options
  const projectRoot = await findProjectRoot({ cwd: host.cwd, home: host.homeDir })
  const sessions = await listSessions(homeDir, projectRoot)
  const id = sessions.length === 0 ? undefined : await pickSession(prompt, sessions)
  return { ...options, session: id === undefined ? NEW_SESSION : { ...options.session, resume: id } }
}

type Trust = 'trusted' | 'unchanged' | 'leave'

/** Asks whether the settings, hooks, servers and skills of the project may be used, unless it is already trusted. */
async function askForTrust(prompt: PromptScreen, host: CommandHost, options: AgentOptions): Promise<Trust> {
  const home = host.homeDir
  const projectRoot = await findProjectRoot({ cwd: host.cwd, home })
  if (options.settings.trust || projectRoot === home) return 'unchanged'
  if (await isProjectTrusted(projectRoot, { home })) return 'unchanged'
  const effects = await describeTrust({ cwd: host.cwd, home })
  const choice = await prompt.ask(
    new ChoiceDialog(
      {
        type: 'group',
        layout: 'block',
        children: [
          { type: 'text', text: 'Do you trust the files in this folder?', bold: true },
          { type: 'text', text: projectRoot, tone: 'path' },
          '',
          'A trusted folder may provide settings, hooks, MCP servers, skills, agents and commands, which can run programs. In both cases Haft asks before calls that change something.',
          ...listEffects(effects),
        ],
      },
      [
        { label: 'Yes, trust this folder' },
        { label: 'No, work without its settings, hooks, servers, skills and commands' },
        { label: 'Leave' },
      ],
    ),
    undefined,
    host.interruption().signal,
  )
  if (choice === 1) return 'unchanged'
  if (choice !== 0) return 'leave'
  try {
    await trustProject(projectRoot, { home })
    return 'trusted'
  } catch (error) {
    if (!(error instanceof TrustError)) throw error
    prompt.commit(renderView({ type: 'text', text: error.message, tone: 'warning' }, { verbose: false }))
    return 'unchanged'
  }
}

/** Maximum number of lines about the project in the question, so that its choices stay visible. */
const MAX_EFFECTS = 8

function listEffects(effects: readonly string[]): readonly View[] {
  if (effects.length === 0) return []
  const lines = effects.slice(0, MAX_EFFECTS).map((line): View => ({ type: 'text', text: `  ${line}`, tone: 'muted' }))
  const moreCount = effects.length - lines.length
  const hint: View = { type: 'text', text: `  and ${moreCount} more: haft trust lists them`, tone: 'muted' }
  return ['', 'This folder would switch on:', ...lines, ...(moreCount > 0 ? [hint] : [])]
}

function withTrust(options: AgentOptions, isTrusted: boolean): AgentOptions {
  return isTrusted ? { ...options, settings: { ...options.settings, trust: true } } : options
}

/** Opens the session. If there is no model, explains how to configure one. */
async function openOrExplain(
  prompt: PromptScreen,
  io: CommandIo,
  open: () => Promise<OpenedSession>,
): Promise<OpenedSession> {
  try {
    return await open()
  } catch (error) {
    if (!(error instanceof ExitError) || error.exitCode !== EXIT.noModel) throw error
    const [{ explainModels }, { findLocalServers }, { listKeySources }] = await Promise.all([
      import('./explain-models.js'),
      import('../models/find-local-servers.js'),
      import('../models/run-models.js'),
    ])
    const [keys, servers] = await Promise.all([listKeySources(io, { providers: {} }), findLocalServers()])
    const { screen, isScreenReader } = prompt
    prompt.commit(explainModels(error.message, { keys, servers }, { columns: screen.columns, isScreenReader }))
    throw new ExitError(EXIT.noModel, 'No model is configured.', { cause: error })
  }
}
