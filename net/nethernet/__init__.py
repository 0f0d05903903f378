"""NetherNet without I/O: WebRTC data channels as a link of packets, for both ends.

    channels          The game's two data channels over an association, and packets cut into messages
    connection        One connected pair of ends: datagrams in and out, packets in and out
    discovery         Messages on UDP port 7551 of a LAN: requests, hosted worlds, signals
    dtls              DTLS by pyOpenSSL over memory, the only module that imports it
    ice               Finds an address of the other end that answers, and checks that it still does
    identity          The identity behind an offer or an answer: a token, and the fingerprint signed by its key
    lan               Signalling by LAN discovery: the host's end, and a client's link
    listener          The server's end: answers offers, and finds the session of a datagram
    offer             The client's end of the signalling: an offer, and the connection from its answer
    sctp              SCTP packets and chunks
    sctp_association  One association: handshake, acknowledgement, resending, messages whole and in order
    sdp               Offers and answers, and error numbers in place of answers
    stun              STUN messages

Rules:
1. ``now`` is monotonic seconds and comes in with each call. Only the handshake of DTLS has timers of its own
   (OpenSSL's, on the real clock).
2. Every buffer has a limit. A sender without an answered offer uses no memory and gets no answer.
3. ``receive`` never raises for the bytes of a peer: bytes that do not decode are counted and ignored, an exceeded limit
   ends that one session with a reason.
"""
