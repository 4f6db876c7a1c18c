/** Access to the texts of an editor, which may have changes that are not saved. Paths are absolute real paths. */
export interface EditorFiles {
  /** Returns the text in the editor; undefined if the editor cannot read the file, or offers no access. */
  read(path: string): Promise<string | undefined>
  /** Changes the text in the editor and saves the file. Undefined if the editor does not offer it. */
  readonly write: ((path: string, text: string) => Promise<void>) | undefined
}
