// Where the page's first wasm file asks for the second one. The names are those that the splitting tool expects.
//
// boot.js says which instance runs: after a trap there is a fresh one, which needs a second file of its own.

let running;

/** Says what runs from now on: the instance's exports, and the address of the second file. */
export function runs(exports, address) {
  running = { exports, address, second: undefined };
}

// Called with a function of the table and its argument, to be told whether the file is there.
export async function __wasm_split_load_later(callback, data) {
  const it = running;
  it.second ??= WebAssembly.instantiateStreaming(fetch(it.address), { __wasm_split: it.exports });
  let isThere = true;
  try {
    await it.second;
  } catch (error) {
    // It is tried again when it is asked for again.
    it.second = undefined;
    isThere = false;
  }
  it.exports.__indirect_function_table.get(callback)(data, isThere);
}
