module chunkscope.example/interop/gopherclient486

go 1.21

require (
	chunkscope.example/interop/given v0.0.0
	github.com/df-mc/dragonfly v0.6.0
	github.com/sandertv/gophertunnel v1.19.4
)

require (
	github.com/go-gl/mathgl v1.0.0 // indirect
	github.com/golang/protobuf v1.5.2 // indirect
	github.com/google/uuid v1.3.0 // indirect
	github.com/klauspost/compress v1.15.1 // indirect
	github.com/muhammadmuzzammil1998/jsonc v1.0.0 // indirect
	github.com/sandertv/go-raknet v1.10.4 // indirect
	go.uber.org/atomic v1.9.0 // indirect
	golang.org/x/crypto v0.0.0-20220321153916-2c7772ba3064 // indirect
	golang.org/x/image v0.0.0-20220321031419-a8550c1d254a // indirect
	golang.org/x/net v0.0.0-20220325170049-de3da57026de // indirect
	golang.org/x/oauth2 v0.0.0-20220309155454-6242fa91716a // indirect
	golang.org/x/text v0.3.7 // indirect
	google.golang.org/appengine v1.6.7 // indirect
	google.golang.org/protobuf v1.28.0 // indirect
	gopkg.in/square/go-jose.v2 v2.6.0 // indirect
)

replace chunkscope.example/interop/given => ../given

// The chunk encoder is of a release whose own protocol is 503; only its storage code is used.
replace github.com/sandertv/gophertunnel => github.com/sandertv/gophertunnel v1.19.2
