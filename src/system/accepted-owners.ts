import { stat } from 'node:fs/promises'

/** Whether a file or folder belongs to a user whose files are accepted. */
export type OwnerTest = (stats: { readonly uid: number }) => boolean

/**
 * Accepts what belongs to the user or to the owner of the folder in which the user works. In a shared folder such as `/tmp`,
 * others could otherwise place files that apply to everybody's projects below it. Without user ids (Windows), accepts all.
 */
export async function acceptOwnersOf(folder: string): Promise<OwnerTest> {
  const userId = process.getuid?.()
  if (userId === undefined) return () => true
  const folderOwner = await stat(folder).then(
    ({ uid }) => uid,
    () => userId,
  )
  return ({ uid }) => uid === userId || uid === folderOwner
}
