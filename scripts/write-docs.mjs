import { writeFile } from 'node:fs/promises'
import { generateDocs } from './docs/generated-docs.mjs'

/** Writes the documents that are generated from the code. A test fails if they are out of date. */
for (const [path, text] of Object.entries(await generateDocs())) await writeFile(path, text)
