/**
 * Runs the parts of a bench that the command line names, or all of them, in this order: `node bench/pipeline.mjs session`.
 * @param {Readonly<Record<string, () => Promise<void>>>} parts
 */
export async function runParts(parts) {
  const requestedNames = process.argv.slice(2)
  const unknownNames = requestedNames.filter((name) => !Object.hasOwn(parts, name))
  if (unknownNames.length > 0) {
    console.error(`bench: unknown part ${unknownNames.join(', ')}. Available: ${Object.keys(parts).join(', ')}.`)
    process.exitCode = 2
    return
  }
  for (const [name, run] of Object.entries(parts))
    if (requestedNames.length === 0 || requestedNames.includes(name)) await run()
}
