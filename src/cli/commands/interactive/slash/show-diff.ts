import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { reasonOf } from '../../../../shared/reason-of.js'
import { Pager, type PagerBlock } from '../../../../terminal/app/pager.js'
import type { TerminalApp } from '../../../../terminal/app/terminal-app.js'
import type { SlashOutcome } from '../../../../terminal/slash/slash-commands.js'
import { renderView } from '../../../../views/render-view.js'
import type { CommandHost } from '../../../io/command.js'

const MAX_DIFF_BYTES = 20 * 1024 * 1024
/** With these options, git runs no program that the repository names. */
const SAFE_OPTIONS = ['--no-pager', '-c', 'core.fsmonitor=false']
const DIFF = ['diff', '--no-ext-diff', '--no-textconv', '--no-color', 'HEAD']
const NEW_FILES = ['ls-files', '--others', '--exclude-standard']

/** `/diff`: uncommitted changes and new files, in the pager. */
export async function showDiff({ prompt }: TerminalApp, { cwd }: CommandHost): Promise<SlashOutcome> {
  let texts: readonly [string, string]
  try {
    texts = await Promise.all([runGit(DIFF, cwd), runGit(NEW_FILES, cwd)])
  } catch (error) {
    return { view: `There are no changes to show: ${describeFailure(error)}` }
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

async function runGit(args: readonly string[], cwd: string): Promise<string> {
  const { stdout } = await promisify(execFile)('git', [...SAFE_OPTIONS, ...args], { cwd, maxBuffer: MAX_DIFF_BYTES })
  return stdout
}

/** Git says in its first line what is wrong; the rest may be its whole manual. */
function describeFailure(error: unknown): string {
  const { stderr = '' } = error as { stderr?: string }
  const [firstLine = ''] = stderr.trim().split('\n')
  return firstLine === '' ? reasonOf(error) : firstLine.replace(/^(?:fatal|error|warning): /, '')
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
