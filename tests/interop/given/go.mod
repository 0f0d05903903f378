module chunkscope.example/interop/given

go 1.21
