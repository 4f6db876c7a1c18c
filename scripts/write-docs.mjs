import { writeFile } from 'node:fs/promises'
import { generatedDocs } from './docs/generated-docs.mjs'

/** Writes the documents that are generated from the code. A test fails if they are out of date. */
for (const [path, text] of Object.entries(await generatedDocs())) await writeFile(path, text)
