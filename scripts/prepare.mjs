/** Builds after `npm ci`. Without the development packages there is nothing to build with, which is not an error. */
try {
  await import('esbuild')
} catch {
  console.log('haft: not built, because the development packages are missing. To build, run npm ci without --omit=dev.')
  process.exit()
}
await import('./build.mjs')
