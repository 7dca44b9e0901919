# What a training leaves for TensorBoard: scalars, a picture, and points for the projector.
import os, struct, sys, time, zlib
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.summary.writer.event_file_writer import EventFileWriter

folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)


def picture():
    rows = b"".join(b"\0" + b"".join(bytes([255 * (x < 8), 80, 255 * (y < 8)]) for x in range(16)) for y in range(16))
    part = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", struct.pack(">IIBBBBB", 16, 16, 8, 2, 0, 0, 0)) + part(b"IDAT", zlib.compress(rows)) + part(b"IEND", b"")


writer = EventFileWriter(folder)
image = Summary.Image(height=16, width=16, colorspace=3, encoded_image_string=picture())
values = [(step, Summary.Value(tag="loss", simple_value=1 / (step + 1))) for step in range(20)] + [(1, Summary.Value(tag="sample", image=image))]
for step, value in values:
    writer.add_event(Event(wall_time=time.time(), step=step, summary=Summary(value=[value])))
writer.close()
for name, text in [
    ("points.tsv", "".join("\t".join(str((i * j) % 7 / 7) for j in range(1, 6)) + "\n" for i in range(30))),
    ("labels.tsv", "".join("p%d\n" % i for i in range(30))),
    ("projector_config.pbtxt", 'embeddings { tensor_name: "points" tensor_path: "points.tsv" metadata_path: "labels.tsv" }\n'),
]:
    open(os.path.join(folder, name), "w").write(text)
