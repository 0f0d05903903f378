"""NetherNet without I/O: WebRTC data channels as a link of packets, for both ends.

    channels          Data channels over an association: the two of the game, and packets cut into messages
    connection        One connected pair of ends: datagrams in and out, packets in and out
    discovery         What is said on UDP port 7551 of a LAN: requests, hosted worlds, signals
    dtls              DTLS by pyOpenSSL over memory, the only module that imports it
    ice               Which address of the other end answers, and whether it still does
    identity          Who stands behind an offer or an answer: a token, and the fingerprint signed by its key
    lan               Signalling by LAN discovery: the host's end, and a client's link
    listener          The server's end: answers offers, and finds the session of a datagram
    offer             The client's end of the signalling: an offer, and the connection that its answer makes
    sctp              SCTP packets and chunks
    sctp_association  One association: handshake, acknowledgement, sending again, messages whole and in order
    sdp               Offers and answers, and the numbers that servers answer with instead
    stun              STUN messages

Rules:
1. ``now`` is monotonic seconds and comes in with each call. Only the handshake of DTLS has timers of its own
   (OpenSSL's, on the real clock).
2. Every buffer has a bound. A stranger without an answered offer costs nothing and is answered nothing.
3. ``receive`` never raises for the bytes of a peer: what does not decode is counted and ignored, a broken limit ends
   that one session with a reason.
"""
