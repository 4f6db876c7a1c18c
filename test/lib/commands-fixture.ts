import { mkdir, mkdtemp, realpath, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleCli } from '../../scripts/build/bundle-cli.mjs'
import { readFeatures } from '../../scripts/build/features.mjs'

/** Builds a command line that has only the file tools, in a new temporary folder. */
export async function buildFileToolsCli(prefix: string): Promise<{ folder: string; main: string }> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), prefix)))
  const outdir = join(folder, 'build')
  await bundleCli({ features: await readFeatures(), outdir, toolsModule: 'src/testing/files/file-tools.ts' })
  return { folder, main: join(outdir, 'main.js') }
}

/** Creates a home folder, and a project with the files a.txt and b.txt. */
export async function createHomeAndProject(folder: string): Promise<{ home: string; project: string }> {
  const home = await mkdtemp(join(folder, 'home-'))
  const project = await mkdtemp(join(folder, 'project-'))
  await mkdir(join(project, '.git'))
  await writeFile(join(project, 'a.txt'), 'alpha\n')
  await writeFile(join(project, 'b.txt'), 'beta\n')
  return { home, project }
}
