/** An edit that cannot be made; the message tells the model what to do instead. */
export class NotebookEditError extends Error {
  override readonly name = 'NotebookEditError'
}
