/** A notebook, because it is the only kind of file that every editing tool can change. */
export const NOTEBOOK = `{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "c1",
   "metadata": {},
   "source": "one"
  }
 ],
 "metadata": {},
 "nbformat": 4,
 "nbformat_minor": 5
}
`

/** A call of each editing tool that replaces the "one" in the notebook with a text. */
export const CHANGING_CALLS: readonly (readonly [tool: string, input: (path: string, text?: string) => object])[] = [
  ['Edit', (file_path, text = 'two') => ({ file_path, old_string: 'one', new_string: text })],
  ['MultiEdit', (file_path, text = 'two') => ({ file_path, edits: [{ old_string: 'one', new_string: text }] })],
  [
    'ApplyPatch',
    (path, text = 'two') => ({ patch: createPatch(path, '   "source": "one"', `   "source": "${text}"`) }),
  ],
  [
    'NotebookEdit',
    (notebook_path, text = 'two') => ({ notebook_path, cell_id: 'c1', new_source: text, edit_mode: 'replace' }),
  ],
  ['Write', (file_path, text = 'two') => ({ file_path, content: NOTEBOOK.replace('one', text) })],
]

function createPatch(path: string, oldText: string, newText: string): string {
  return `*** Begin Patch\n*** Update File: ${path}\n-${oldText}\n+${newText}\n*** End Patch`
}
