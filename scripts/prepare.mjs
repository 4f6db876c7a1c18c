/** Builds after `npm ci`; where development packages were left out there is nothing to build with, and that is no error. */
try {
  await import('esbuild')
} catch {
  console.log('haft: not built, because development packages were left out; run npm ci without --omit=dev.')
  process.exit()
}
await import('./build.mjs')
