import type { Confinement, ShellOutcome } from '../contract/ports/shell.js'

/** What the sandbox refused, in words for the model, and how it can ask for more. */
export function refusalNotes(
  { refusals, confinement }: Pick<ShellOutcome, 'refusals' | 'confinement'>,
  { asked, canLeave }: { readonly asked?: Confinement | undefined; readonly canLeave: boolean },
): readonly string[] {
  if (refusals.length === 0 || confinement === 'none') return []
  const why = asked === 'read-only' ? ', in which it ran because it was taken for one that only reads,' : ''
  const retry = canLeave
    ? ' If the work needs this, call again with dangerouslyDisableSandbox: the user is asked then.'
    : ''
  return [`The sandbox${why} seems to have refused: ${refusals.join('; ')}.${retry}`]
}
