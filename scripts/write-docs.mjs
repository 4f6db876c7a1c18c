import { writeFile } from 'node:fs/promises'
import { generatedDocs } from './docs/generated-docs.mjs'

/** Writes the documents that are made from the code; a test fails while they differ from it. */
for (const [path, text] of Object.entries(await generatedDocs())) await writeFile(path, text)
