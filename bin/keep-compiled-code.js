'use strict'

const fs = require('node:fs')
const Module = require('node:module')
const { homedir } = require('node:os')
const { basename, dirname, isAbsolute, join } = require('node:path')
const { getHeapCodeStatistics } = require('node:v8')
const { Script } = require('node:vm')
const { crc32 } = require('node:zlib')

/** What was written so long ago is made anew, or belongs to a version that is gone. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1000

/**
 * Runs the parts in a folder and keeps what was made of them: to make it anew would take half of every start. It lies
 * where only the user writes, since whoever writes it decides what runs.
 */
exports.keepCompiledCode = function keepCompiledCode(codeFolder) {
  new CodeCache(codeFolder, cacheFolder()).watch()
}

/** Undefined where there is no home, or none that can be written to, or where somebody else writes. */
function cacheFolder() {
  try {
    let folder = homedir()
    if (!isAbsolute(folder)) return undefined
    for (const name of ['.haft', 'cache', 'code', `${process.version}-${process.arch}`]) {
      folder = join(folder, name)
      makeFolder(folder)
      if (!isOnlyMine(folder)) return undefined
    }
    return folder
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
}

/**
 * A run is worth keeping that compiled more than any before it, or more of it to machine code: V8 remembers which
 * functions were worth that, and does it sooner the next time. What is not kept is compiled in every run.
 */
const MORE_BYTECODE = 16_000
const MORE_CODE = 1.1

/**
 * Node 22 and later can do this themselves, but keep only what the first run compiled: a later one that does more would
 * compile the rest each time.
 */
class CodeCache {
  #partFolders
  #cache
  /** By the files that their code is kept in. */
  #scripts = new Map()
  #isIncomplete = false

  constructor(codeFolder, cache) {
    // By which of the two it is loaded depends on how Node was started.
    this.#partFolders = [codeFolder, fs.realpathSync(codeFolder)].map((folder) => join(folder, 'parts'))
    this.#cache = cache
  }

  watch() {
    const compile = Module.prototype._compile
    const cache = this
    Module.prototype._compile = function (content, path) {
      return cache.#isOurs(path) ? cache.#run(this, content, path) : compile.call(this, content, path)
    }
    if (this.#cache !== undefined) process.on('exit', () => this.#keep())
  }

  /**
   * V8 knows a source by its length alone, so that only parts count whose names change with what they hold. The one that
   * imports modules is left to Node: a script by itself cannot. Each of ours is a function already, as Node would make it.
   */
  #isOurs(path) {
    return this.#partFolders.includes(dirname(path)) && basename(path) !== 'import-module.cjs'
  }

  #run(module, content, filename) {
    const file = join(this.#cache ?? '', basename(filename))
    const cachedData = this.#cache && readSound(file)
    const script = new Script(content, { filename, cachedData })
    this.#scripts.set(file, script)
    if (cachedData === undefined || script.cachedDataRejected) this.#isIncomplete = true
    const require = (id) => module.require(id)
    return script.runInThisContext().call(module.exports, module.exports, require, module, filename, dirname(filename))
  }

  /** At the end, because only what has run by then is compiled. */
  #keep() {
    const sizeFile = join(this.#cache, 'sizes')
    // Of an older version they say nothing.
    const sizes = this.#isIncomplete ? '' : String(readSound(sizeFile) ?? '')
    const [bytecode = 0, code = 0] = sizes.split(' ').map(Number)
    const now = getHeapCodeStatistics()
    const hasMore =
      now.bytecode_and_metadata_size > bytecode + MORE_BYTECODE || now.code_and_metadata_size > code * MORE_CODE
    if (!hasMore) return
    try {
      removeOld(this.#cache)
      removeOld(dirname(this.#cache))
      for (const [file, script] of this.#scripts) writeWhole(file, script.createCachedData())
      const most = [Math.max(now.bytecode_and_metadata_size, bytecode), Math.max(now.code_and_metadata_size, code)]
      writeWhole(sizeFile, Buffer.from(most.join(' ')))
    } catch {
      // The next start makes it anew.
    }
  }
}

function removeOld(folder) {
  for (const name of fs.readdirSync(folder)) {
    const path = join(folder, name)
    if (Date.now() - fs.statSync(path).mtimeMs > KEPT_MS) fs.rmSync(path, { recursive: true, force: true })
  }
}

const SUM_BYTES = 4

/** Undefined where nothing is kept, or a disk has spoilt it: V8 would run what is broken, and die of it. */
function readSound(file) {
  try {
    const kept = fs.readFileSync(file)
    const data = kept.subarray(SUM_BYTES)
    return kept.readUInt32LE() === crc32(data) ? data : undefined
  } catch {
    return undefined
  }
}

/** Nobody may read half of it. */
function writeWhole(file, data) {
  const sum = Buffer.alloc(SUM_BYTES)
  sum.writeUInt32LE(crc32(data))
  const temporary = `${file}.${process.pid}.${Math.random().toString(36).slice(2)}`
  try {
    fs.writeFileSync(temporary, Buffer.concat([sum, data]), { mode: 0o600, flag: 'wx' })
    fs.renameSync(temporary, file)
  } catch (error) {
    fs.rmSync(temporary, { force: true })
    throw error
  }
}
