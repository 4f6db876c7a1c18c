import {
  type AcpHost,
  type EditorSession,
  MissingModelError,
  type SessionEditor,
  type SessionRequest,
} from '../../../acp/acp-host.js'
import { deleteSession } from '../../../session/transcript/read/clean-up-sessions.js'
import { findSession } from '../../../session/transcript/read/find-session.js'
import { type ListedSession, listAllSessions, listSessions } from '../../../session/transcript/read/list-sessions.js'
import { SessionError } from '../../../session/transcript/storage/session-error.js'
import { findProjectRoot } from '../../../settings/files/find-project-root.js'
import { overridePort } from '../../../shared/override-port.js'
import { builtInTools } from '../../../tools/index.js'
import { openAgentSession } from '../../agent-session/open-agent-session.js'
import { openModels } from '../../agent-session/open-models.js'
import type { CommandHost, CommandIo } from '../../io/command.js'
import { EXIT, ExitError } from '../../io/exit.js'
import type { AgentOptions } from '../../options/agent-options.js'
import { loadCommandSettings } from '../../tool-session/load-command-settings.js'
import { listOfferedUpdates } from '../../tool-session/offered-updates.js'
import { OpenedEditorSession } from './editor-session.js'

/** Opens, lists and deletes the sessions of an editor. */
export class SessionManager implements AcpHost {
  readonly #io: CommandIo
  readonly #host: CommandHost
  readonly #options: AgentOptions

  constructor(io: CommandIo, host: CommandHost, options: AgentOptions) {
    this.#io = io
    this.#host = host
    this.#options = options
  }

  async openSession(request: SessionRequest, editor: SessionEditor): Promise<EditorSession> {
    const host = overridePort(this.#host, { cwd: request.cwd })
    try {
      const session = await openAgentSession(this.#io, host, this.#createOptions(request), {
        askWith: (settings) => (question) => editor.ask(question, listOfferedUpdates(question, host, settings)),
        askPort: editor.askPort,
        editorFiles: editor.files,
      })
      return new OpenedEditorSession(session, this.#io, host)
    } catch (error) {
      throw error instanceof ExitError && error.exitCode === EXIT.noModel
        ? new MissingModelError(error.message, { cause: error })
        : error
    }
  }

  async listSessions(cwd: string | undefined): Promise<readonly ListedSession[]> {
    const home = this.#io.homeDir
    if (cwd === undefined) return listAllSessions(home)
    return listSessions(home, await findProjectRoot({ cwd, home: this.#host.homeDir }))
  }

  async deleteSession(id: string): Promise<void> {
    try {
      await deleteSession(findSession(id, { home: this.#io.homeDir, projectRoot: this.#host.cwd }))
    } catch (error) {
      if (!(error instanceof SessionError && error.code === 'not_found')) throw error
    }
  }

  async findModelProblem(): Promise<string | undefined> {
    const values = this.#options.settings
    const settings = await loadCommandSettings(this.#io, this.#host, { values, tools: builtInTools })
    try {
      await openModels(this.#options, settings, this.#io)
      return undefined
    } catch (error) {
      if (error instanceof ExitError) return error.message
      throw error
    }
  }

  #createOptions({ additionalFolders, mcpServers, continued }: SessionRequest): AgentOptions {
    const { settings, ...options } = this.#options
    const folders = [...(settings['add-dir'] ?? []), ...additionalFolders]
    const configs = [
      ...(settings['mcp-config'] ?? []),
      ...(Object.keys(mcpServers).length > 0 ? [JSON.stringify({ mcpServers })] : []),
    ]
    return {
      ...options,
      settings: {
        ...settings,
        ...(folders.length > 0 && { 'add-dir': folders }),
        ...(configs.length > 0 && { 'mcp-config': configs }),
      },
      ...(continued !== undefined && {
        session: { shouldContinueLatest: false, resume: continued.id, shouldFork: continued.isFork, id: undefined },
      }),
    }
  }
}
