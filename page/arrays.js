// Packed arrays of numbers: the inverse of arrays.rs.

const ARRAY_TYPES = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f32: Float32Array };

// The arrays of a block, by their names.
async function unpack({ arrays, data }) {
  const squeezed = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
  const stream = new Blob([squeezed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const named = {};
  let at = 0;
  for (const { name, type, length } of arrays) {
    const size = ARRAY_TYPES[type].BYTES_PER_ELEMENT;
    named[name] = numbers(bytes.subarray(at, at + length * size), type, length);
    at += length * size;
  }
  return named;
}

function numbers(bytes, type, length) {
  if (type === "f32") return new Float32Array(bytes.slice().buffer);
  // Byte planes, low bytes first, of differences that wrap.
  const values = new ARRAY_TYPES[type](length);
  const size = values.BYTES_PER_ELEMENT;
  let last = 0;
  for (let i = 0; i < length; i++) {
    let difference = 0;
    for (let byte = 0; byte < size; byte++) difference |= bytes[byte * length + i] << (8 * byte);
    values[i] = last + difference;
    last = values[i];
  }
  return values;
}
