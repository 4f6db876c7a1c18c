import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { findToolByName } from '../../../../contract/tool/identity.js'
import { listSessions } from '../../../../session/transcript/read/list-sessions.js'
import { Pager } from '../../../../terminal/app/pager.js'
import type { TerminalApp } from '../../../../terminal/app/terminal-app.js'
import { createTranscriptBlocks } from '../../../../terminal/blocks/transcript-blocks.js'
import type { SlashCommand, SlashOutcome } from '../../../../terminal/slash/slash-commands.js'
import type { OpenedSession } from '../../../agent-session/opened-session.js'
import { readSavedHistory } from '../../../agent-session/saved-history.js'
import type { CommandHost, CommandIo } from '../../../io/command.js'
import { pickSession } from '../pick-session.js'
import { runCaptured } from './run-captured.js'
import { showDiff } from './show-diff.js'
import { rewind, undoLast } from './undo-commands.js'

export interface SlashHost {
  readonly io: CommandIo
  readonly host: CommandHost
  readonly openedSession: OpenedSession
}

const INIT_PROMPT = `Look at this project and write AGENTS.md in its root, for agents that will work here. If the file exists, improve it.
Include: how to build, lint and test (also a single test), the parts of the architecture that cannot be understood from a single file, and rules that are particular to this project. Use what README, CONTRIBUTING, other agent instructions, package files and CI say. Leave out what is obvious, generic advice and lists of files. Be short.`

/** Creates the slash commands that change the session, its model or the files of the project, or show them. */
export function createSessionCommands({ io, host, openedSession }: SlashHost): readonly SlashCommand[] {
  return [
    {
      name: 'clear',
      summary: 'start a new session; this one can be resumed',
      run: (_, app) => endSession(app, { type: 'clear' }),
    },
    {
      name: 'resume',
      summary: 'continue another session',
      argumentHint: '[ID]',
      async run(args, app) {
        const sessions = await listSessions(io.homeDir, openedSession.toolSession.settings.projectRoot)
        const otherSessions = sessions.filter(({ id }) => id !== openedSession.id)
        if (otherSessions.length === 0) return { view: 'There is no other session in this folder.' }
        const id = args === '' ? await pickSession(app.prompt, otherSessions) : args
        return id === undefined ? undefined : endSession(app, { type: 'resume', id })
      },
    },
    {
      name: 'model',
      summary: 'show or change the model',
      argumentHint: '[NAME]',
      async run(args) {
        if (args !== '') await openedSession.setModel(args)
        const { id, provider, facts } = openedSession.session.model
        return {
          view: `${args === '' ? 'Model' : 'Model for the next prompts'}: ${provider}/${id}, ${facts.contextWindow} tokens of context.`,
        }
      },
    },
    {
      name: 'init',
      summary: 'write AGENTS.md, instructions for agents in this project',
      run: () => ({ prompt: { text: INIT_PROMPT, attachments: [], shownText: '/init' } }),
    },
    {
      name: 'export',
      summary: 'write the conversation to a Markdown file',
      argumentHint: '[FILE]',
      run: async (args, app) => exportConversation(args, app, { host, openedSession }),
    },
    {
      name: 'diff',
      summary: 'show the uncommitted changes of this project',
      runsWhileWorking: true,
      run: async (_, app) => showDiff(app, { host, openedSession }),
    },
    {
      name: 'rewind',
      summary: 'go back: files, conversation or both',
      argumentHint: '[ID]',
      run: (args, app) => rewind(args, app, { io, host }),
    },
    {
      name: 'undo',
      summary: 'restore the files from before the last call that changed something',
      run: () => undoLast(openedSession.id, { io, host }),
    },
    {
      name: 'doctor',
      summary: 'check this installation',
      run: async () => ({ view: await runCaptured('doctor', [], { io, host }) }),
    },
  ]
}

function endSession(app: TerminalApp, end: Parameters<TerminalApp['exit']>[0]): undefined {
  app.exit(end)
}

async function exportConversation(
  args: string,
  app: TerminalApp,
  { host, openedSession }: Pick<SlashHost, 'host' | 'openedSession'>,
): Promise<SlashOutcome> {
  const file = resolve(host.cwd, args === '' ? `haft-${openedSession.id}.md` : args)
  const { messages } = app.session.session.conversation
  const sections = messages.flatMap((message): readonly string[] => {
    if (message.type === 'user') {
      const text = typeof message.content === 'string' ? message.content : textOf(message.content)
      return text === '' ? [] : [`## You\n\n${text}`]
    }
    if (message.type !== 'assistant') return []
    return message.content.flatMap((block) => {
      if (block.type === 'text') return [`## Assistant\n\n${block.text}`]
      if (block.type === 'tool_use')
        return [`### ${block.name}\n\n\`\`\`json\n${JSON.stringify(block.input, null, 2)}\n\`\`\``]
      return []
    })
  })
  await writeFile(file, `${sections.join('\n\n')}\n`, { flag: 'wx', mode: 0o600 })
  return { view: `The conversation was written to ${file}.` }
}

function textOf(content: readonly { readonly type: string; readonly text?: string }[]): string {
  return content.flatMap((block) => (block.type === 'text' ? [block.text ?? ''] : [])).join('\n')
}

/** Ctrl+O: shows the whole conversation, including messages that a compaction has replaced. */
export function openTranscriptView(app: TerminalApp, path: string | undefined): void {
  const { conversation, runtime } = app.session.session
  const history = readSavedHistory(path)
  new Pager(app.prompt, {
    title: 'Transcript',
    startsAtEnd: true,
    blocks: createTranscriptBlocks(history?.messages ?? conversation.messages, {
      findTool: (name) => findToolByName(runtime.pool, name),
      findShown: (result) => history?.findShown(result),
      cwd: runtime.cwd,
    }),
  })
}
