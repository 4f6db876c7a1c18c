'use strict'

const fs = require('node:fs')
const Module = require('node:module')
const { homedir } = require('node:os')
const { basename, dirname, isAbsolute, join } = require('node:path')
const { getHeapCodeStatistics } = require('node:v8')
const { Script } = require('node:vm')

/** Kept code that nothing has been added to for so long belongs to a version that is gone. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1000

/**
 * Keeps what was made of the code in a folder: to make it anew would take half of every start. It lies where only the
 * user writes, since whoever writes it decides what runs.
 */
exports.keepCompiledCode = function keepCompiledCode(codeFolder) {
  const cache = cacheFolder()
  if (cache !== undefined) new CodeCache(codeFolder, join(cache, `${process.version}-${process.arch}`)).watch()
}

/** Undefined where there is no home, or none that can be written to, or where somebody else writes. */
function cacheFolder() {
  try {
    const home = homedir()
    if (!isAbsolute(home)) return undefined
    const own = makeFolder(join(home, '.haft'))
    const folder = makeFolder(join(makeFolder(join(own, 'cache')), 'code'))
    return isOnlyMine(folder) ? folder : undefined
  } catch {
    return undefined
  }
}

function isOnlyMine(folder) {
  const { uid, mode } = fs.statSync(folder)
  return process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0)
}

function makeFolder(path) {
  try {
    fs.mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
  }
  return path
}

/** A run that has compiled so much more than any before it is worth keeping. */
const WORTH_KEEPING = 1.1

/**
 * Node 22 and later can do this themselves, but keep only what the first run compiled: a later one that does more would
 * compile the rest each time.
 */
class CodeCache {
  #codeFolder
  #cache
  /** By the files that their code is kept in. */
  #scripts = new Map()
  #isIncomplete = false

  constructor(codeFolder, cache) {
    this.#codeFolder = codeFolder
    this.#cache = cache
  }

  watch() {
    const compile = Module.prototype._compile
    const cache = this
    Module.prototype._compile = function (content, path) {
      return cache.#isOurs(path) ? cache.#run(this, content, path) : compile.call(this, content, path)
    }
    process.on('exit', () => this.#keep())
  }

  /**
   * V8 knows a source by its length alone, so that only parts count whose names change with what they hold. The one that
   * imports modules is left to Node: a script by itself cannot.
   */
  #isOurs(path) {
    return path.startsWith(join(this.#codeFolder, 'parts')) && basename(path) !== 'import-module.cjs'
  }

  #run(module, content, filename) {
    const file = join(this.#cache, basename(filename))
    const cachedData = read(file)
    const script = new Script(Module.wrap(content), { filename, cachedData })
    this.#scripts.set(file, script)
    if (cachedData === undefined || script.cachedDataRejected) this.#isIncomplete = true
    const require = (id) => module.require(id)
    return script.runInThisContext().call(module.exports, module.exports, require, module, filename, dirname(filename))
  }

  /** At the end, because only what has run by then is compiled. */
  #keep() {
    const sizeFile = join(this.#cache, 'size')
    const kept = Number(read(sizeFile) ?? 0)
    const size = getHeapCodeStatistics().bytecode_and_metadata_size
    if (!this.#isIncomplete && size < kept * WORTH_KEEPING) return
    try {
      makeFolder(this.#cache)
      this.#removeOld()
      for (const [file, script] of this.#scripts) writeWhole(file, script.createCachedData())
      writeWhole(sizeFile, String(Math.max(size, kept)))
    } catch {
      // The next start makes it anew.
    }
  }

  #removeOld() {
    for (const name of fs.readdirSync(this.#cache)) {
      const file = join(this.#cache, name)
      if (Date.now() - fs.statSync(file).mtimeMs > KEPT_MS) fs.rmSync(file, { force: true })
    }
  }
}

function read(file) {
  try {
    return fs.readFileSync(file)
  } catch {
    return undefined
  }
}

/** Nobody may read half of it. */
function writeWhole(file, data) {
  const temporary = `${file}.${process.pid}`
  try {
    fs.writeFileSync(temporary, data, { mode: 0o600 })
    fs.renameSync(temporary, file)
  } catch (error) {
    fs.rmSync(temporary, { force: true })
    throw error
  }
}
