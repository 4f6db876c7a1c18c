import { stat } from 'node:fs/promises'

/** Whether a file or folder belongs to a user whose files are accepted. */
export type OwnerTest = (stats: { readonly uid: number }) => boolean

/**
 * Returns a test that accepts files of the user and of the owner of `folder`. In a shared folder such as `/tmp`, other users
 * could otherwise place files that apply to all projects below it. Without user ids (Windows), it accepts every file.
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
