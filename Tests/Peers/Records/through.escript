#!/usr/bin/env escript
%% Joins its standard streams with a server, through Erlang's ssl.
%%
%% usage: through.escript PORT SUITE GROUP again|once
%%
%% The end of the input is a close_notify. Keys are updated after each 100,000 bytes of either way, in turn those of both
%% directions and the own one.

-define(REQUEST, "GET /bytes/10 HTTP/1.1\r\nHost: localhost\r\n\r\n").
-define(VOLUME, 100000).

main([Port, Suite, Group, Times]) ->
    {ok, _} = application:ensure_all_started(ssl),
    Options = [binary, {active, false}, {verify, verify_none}, {versions, ['tlsv1.3']}, {session_tickets, auto},
               {ciphers, [ssl:str_to_suite(Suite)]}, {supported_groups, [list_to_atom(Group)]},
               {server_name_indication, "localhost"}],
    Times =:= "again" andalso leave_session(list_to_integer(Port), Options),
    {ok, Socket} = ssl:connect("127.0.0.1", list_to_integer(Port), Options),
    {ok, Facts} = ssl:connection_information(Socket, [selected_cipher_suite, session_resumption]),
    Name = ssl:suite_to_str(proplists:get_value(selected_cipher_suite, Facts)),
    Word = case proplists:get_value(session_resumption, Facts) of true -> "resumed"; _ -> "new" end,
    io:format(standard_error, "~s ~s~n", [Name, Word]),
    Streams = open_port({fd, 0, 1}, [stream, binary, eof]),
    spawn_link(fun() -> receive_all(Socket, Streams, 0) end),
    send(Socket, Streams, 0).

leave_session(Port, Options) ->
    {ok, First} = ssl:connect("127.0.0.1", Port, Options),
    ok = ssl:send(First, ?REQUEST),
    {ok, _} = ssl:recv(First, 0),
    ok = ssl:close(First),
    timer:sleep(100).

send(Socket, Streams, Sent) ->
    receive
        {Streams, {data, Data}} ->
            ok = ssl:send(Socket, Data),
            send(Socket, Streams, advance(Socket, Sent, byte_size(Data)));
        {Streams, eof} ->
            %% An end that has closed its half can send no KeyUpdate.
            persistent_term:put(is_closed, true),
            ok = ssl:shutdown(Socket, write),
            receive never -> ok end
    end.

receive_all(Socket, Streams, Taken) ->
    case ssl:recv(Socket, 0) of
        {ok, Data} ->
            true = port_command(Streams, Data),
            receive_all(Socket, Streams, advance(Socket, Taken, byte_size(Data)));
        {error, closed} ->
            halt(0, [{flush, true}])
    end.

advance(Socket, Before, Count) ->
    After = Before + Count,
    Turn = After div ?VOLUME,
    case Turn =:= Before div ?VOLUME orelse persistent_term:get(is_closed, false) of
        true -> ok;
        false when Turn rem 2 =:= 0 -> ok = ssl:update_keys(Socket, write);
        false -> ok = ssl:update_keys(Socket, read_write)
    end,
    After.
