import * as z from 'zod'

/** What can stand at a path. `lost` is what could not be kept, so that nobody takes it for nothing. */
export const entryStateSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('absent') }),
  z.object({ kind: z.literal('file'), hash: z.string(), size: z.number(), mode: z.number() }),
  z.object({ kind: z.literal('link'), target: z.string() }),
  z.object({ kind: z.literal('folder'), mode: z.number() }),
  z.object({ kind: z.literal('lost'), reason: z.string() }),
])
export type EntryState = z.infer<typeof entryStateSchema>

/** By path: the real path of the folder, and the name in it. */
export type EntryStates = Readonly<Record<string, EntryState>>

/** Whether nobody could tell the two apart. Of what was lost nothing is known. */
export function isSameState(a: EntryState, b: EntryState): boolean {
  if (a.kind === 'file') return b.kind === 'file' && a.hash === b.hash && a.mode === b.mode
  if (a.kind === 'link') return b.kind === 'link' && a.target === b.target
  if (a.kind === 'folder') return b.kind === 'folder' && a.mode === b.mode
  return a.kind === 'absent' && b.kind === 'absent'
}
