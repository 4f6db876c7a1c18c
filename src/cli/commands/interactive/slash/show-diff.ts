import { reasonOf } from '../../../../shared/reason-of.js'
import { findRepositoryFilter, runGit } from '../../../../system/run-git.js'
import { Pager, type PagerBlock } from '../../../../terminal/app/pager.js'
import type { TerminalApp } from '../../../../terminal/app/terminal-app.js'
import type { SlashOutcome } from '../../../../terminal/slash/slash-commands.js'
import { renderView } from '../../../../views/render-view.js'
import type { OpenedSession } from '../../../agent-session/opened-session.js'
import type { CommandHost } from '../../../io/command.js'

/** With these options and those of `runGit`, git runs no programs that the repository configures, except filters. */
const DIFF = ['diff', '--no-ext-diff', '--no-textconv', '--no-color', '--ignore-submodules=dirty', 'HEAD']
const NEW_FILES = ['ls-files', '--others', '--exclude-standard']

/** Shows uncommitted changes and new files in the pager, for `/diff`. */
export async function showDiff({ prompt }: TerminalApp, { host, openedSession }: DiffContext): Promise<SlashOutcome> {
  const { cwd } = host
  const { isTrusted } = openedSession.toolSession.settings
  let texts: readonly string[]
  try {
    const filter = isTrusted ? undefined : await findRepositoryFilter(cwd)
    if (filter !== undefined)
      throw new Error(`git would run a program that this untrusted repository configures (${filter}).`)
    texts = await Promise.all([DIFF, NEW_FILES].map((args) => readGit(args, cwd)))
  } catch (error) {
    return { view: `Cannot show the changes: ${reasonOf(error)}` }
  }
  const [diff, newFiles] = texts.map((text) => text.trimEnd()) as [string, string]
  if (diff === '' && newFiles === '') return { view: 'There are no uncommitted changes.' }
  const blocks = [
    ...(newFiles === '' ? [] : [createBlock(`New files, which git does not track:\n${newFiles}\n`, undefined)]),
    ...(diff === '' ? [] : diff.split(/^(?=diff --git )/m).map((text) => createBlock(text, 'diff'))),
  ]
  new Pager(prompt, { title: 'Uncommitted changes', startsAtEnd: false, blocks })
  return undefined
}

interface DiffContext {
  readonly host: CommandHost
  readonly openedSession: OpenedSession
}

/** Returns the output of git. Throws only the first line of its error output, because a long usage text may follow. */
async function readGit(args: readonly string[], cwd: string): Promise<string> {
  const { exitCode, stdout, stderr, error } = await runGit(cwd, args)
  if (exitCode === 0) return stdout
  const [firstLine = ''] = stderr.trim().split('\n')
  throw new Error(firstLine === '' ? error : firstLine.replace(/^(?:fatal|error|warning): /, ''))
}

function createBlock(text: string, language: string | undefined): PagerBlock {
  const view = { type: 'code', text, ...(language !== undefined && { language }) } as const
  return {
    render: (width) => renderView(view, { width, verbose: true }),
    isExpandable: false,
    searchText: text.toLowerCase(),
    text,
  }
}
