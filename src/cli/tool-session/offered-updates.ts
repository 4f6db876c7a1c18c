import type { PermissionQuestion } from '../../calls/call-environment.js'
import type { PermissionMode } from '../../contract/permission/context.js'
import type { PermissionUpdate } from '../../contract/permission/result.js'
import type { View } from '../../contract/views.js'
import { toRelativePath } from '../../shared/path-containment.js'
import type { CommandHost } from '../io/command.js'
import { fileOf, isSavable, type SaveContext } from './ask-in-terminal.js'
import { findAlternatives } from './rule-alternatives.js'

const MODE_EFFECTS: Readonly<Record<PermissionMode, string>> = {
  default: 'ask before changes',
  acceptEdits: 'allow all file edits',
  plan: 'plan first',
  auto: 'let the classifier decide',
  dontAsk: 'never ask',
  bypassPermissions: 'allow everything',
}

/** A permission update that the user may accept together with a call. */
export interface OfferedUpdate {
  readonly label: View
  readonly update: PermissionUpdate
}

/** Returns the updates that the user may accept with the call: the suggested one, then narrower and broader ones. */
export function listOfferedUpdates(
  question: PermissionQuestion,
  host: CommandHost,
  settings: SaveContext,
): readonly OfferedUpdate[] {
  return question.suggestions.flatMap((update): readonly OfferedUpdate[] => {
    if (update.type === 'setMode') return [{ label: `Yes, and ${MODE_EFFECTS[update.mode]} in this session`, update }]
    if (!('rules' in update)) return []
    if (update.destination === 'session' || !isSavable(update, settings)) {
      const sessionUpdate = { ...update, destination: 'session' } as const
      return [{ label: `Yes, and allow ${update.rules.join(', ')} in this session`, update: sessionUpdate }]
    }
    const file = shortenFile(fileOf(update.destination, host, settings), host, settings)
    const offerSaving = (rules: readonly string[], kind: string): OfferedUpdate => ({
      label: [`Always${kind}: ${rules.join(', ')}`, { type: 'text', text: `  saved in ${file}`, tone: 'muted' }],
      update: { ...update, rules },
    })
    const { narrower, broader } = findAlternatives(update.rules, question)
    return [
      offerSaving(update.rules, ''),
      ...(narrower === undefined ? [] : [offerSaving(narrower, ', narrower')]),
      ...(broader === undefined ? [] : [offerSaving(broader, ', broader')]),
    ]
  })
}

/** Returns the path of a settings file, relative to the project or the home folder. */
function shortenFile(file: string, { homeDir }: CommandHost, { projectRoot }: SaveContext): string {
  const pathInProject = toRelativePath(file, projectRoot)
  if (pathInProject !== undefined) return pathInProject
  const pathInHome = toRelativePath(file, homeDir)
  return pathInHome === undefined ? file : `~/${pathInHome}`
}
